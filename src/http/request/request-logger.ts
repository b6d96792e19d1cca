import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

type ChildLoggerFactory = NonNullable<FastifyServerOptions['childLoggerFactory']>;
type LogArguments = Parameters<FastifyBaseLogger['info']>;

/**
 * Returns the log of one request, whose lines contain its id. The logger is created with the first line, because most
 * requests write only their final line, see `logRequest`.
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
    // The level `silent` writes nothing.
  }

  child(...args: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.logger.child(...args);
  }

  private get logger(): FastifyBaseLogger {
    this.made ??= this.make();
    return this.made;
  }
}
