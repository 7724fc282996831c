/** The checkout that the scripts work on: the one they are started in. */
export const ROOT = process.cwd();
