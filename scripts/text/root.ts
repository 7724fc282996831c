/** The checkout that the scripts process: the current directory. */
export const ROOT = process.cwd();
