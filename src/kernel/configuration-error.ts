/** Error that persists until an operator changes the configuration, or a file or server that it names. */
export class ConfigurationError extends Error {}
