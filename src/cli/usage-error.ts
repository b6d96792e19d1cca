/** The command line is wrong. The message names the option or argument, its value, and what to write instead. */
export class UsageError extends Error {}
