import { ConfigurationError } from '../kernel/configuration-error.js';

/** All problems of the configuration, one per line. */
export class ConfigError extends ConfigurationError {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
