import { ConfigurationError } from '../kernel/configuration-error.js';

/** Everything that is wrong with the configuration, a line each. */
export class ConfigError extends ConfigurationError {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
