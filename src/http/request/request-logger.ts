import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

type ChildLoggerFactory = NonNullable<FastifyServerOptions['childLoggerFactory']>;
type LogArguments = Parameters<FastifyBaseLogger['info']>;

/**
 * Returns the log of one request, whose lines have its id. The logger is made for the first of them: most requests write
 * only the line of their end, see `logRequest`.
 */
export const lazyRequestLogger: ChildLoggerFactory = (parent, bindings, options) =>
  new RequestLogger(parent, () => parent.child(bindings, options)) as unknown as FastifyBaseLogger;

class RequestLogger {
  private made: FastifyBaseLogger | undefined;

  constructor(
    private readonly parent: FastifyBaseLogger,
    private readonly make: () => FastifyBaseLogger,
  ) {}

  get level(): string {
    return this.parent.level;
  }

  fatal(...args: LogArguments): void {
    this.logger.fatal(...args);
  }

  error(...args: LogArguments): void {
    this.logger.error(...args);
  }

  warn(...args: LogArguments): void {
    this.logger.warn(...args);
  }

  info(...args: LogArguments): void {
    this.logger.info(...args);
  }

  debug(...args: LogArguments): void {
    this.logger.debug(...args);
  }

  trace(...args: LogArguments): void {
    this.logger.trace(...args);
  }

  silent(): void {
    // Writes nothing, as its name says.
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.logger.child(...args);
  }

  private get logger(): FastifyBaseLogger {
    this.made ??= this.make();
    return this.made;
  }
}
