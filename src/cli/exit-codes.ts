/** The exit codes shared by all commands. The help of a command names additional ones. */
export const exitCodes = {
  done: 0,
  /** The command failed or found problems. */
  failed: 1,
  /** The command line is wrong (EX_USAGE). */
  usage: 64,
  /** A setting is wrong, or something that it names cannot be used (EX_CONFIG). */
  configuration: 78,
} as const;
