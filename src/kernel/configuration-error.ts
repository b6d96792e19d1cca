/** The command or the service fails until an operator changes the configuration, or what it names. */
export class ConfigurationError extends Error {}
