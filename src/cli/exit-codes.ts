/** The exit codes that all commands share. Some have more, which their help names. */
export const exitCodes = {
  done: 0,
  /** The command failed, or has found problems. */
  failed: 1,
  /** The command line is wrong (EX_USAGE). */
  usage: 64,
  /** A setting is wrong, or what it names cannot be used (EX_CONFIG). */
  configuration: 78,
} as const;
