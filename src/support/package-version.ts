/** The version of this package, as `package.json` has it; a test compares the two. */
export const PACKAGE_VERSION = '0.1.0';
