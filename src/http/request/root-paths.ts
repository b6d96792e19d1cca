declare module 'fastify' {
  interface FastifyRequest {
    /** Root path as the client spelled it: the configured one or an alias. Links in the response begin with it. */
    readonly rootPath: string;
  }
}

/**
 * The root path with its aliases. Clients also find the API below an alias, or below a base URL followed by an alias:
 * some append `/Olog` to every base URL they are given.
 */
export class RootPaths {
  private readonly aliased: RegExp;

  constructor(
    private readonly rootPath: string,
    private readonly aliases: readonly string[],
  ) {
    const bases = [rootPath, ...aliases].map(toPattern).join('|');
    const last = aliases.map(toPattern).join('|');
    this.aliased = new RegExp(`^((?:https?://[^/?#]*)?)((?:/{1,2}(?:${bases}))?/{1,2}(?:${last}))(?=[/?]|$)`);
  }

  /** Returns the URL with the root path in place of an alias; any other URL unchanged. */
  toRouted(url: string): string {
    if (this.aliases.length === 0) return url;
    return url.replace(this.aliased, (_prefix, origin: string) => origin + this.rootPath);
  }

  /** Returns the root path as it is spelled in a URL, without repeated slashes. */
  spelledIn(url: string): string {
    const prefix = this.aliases.length === 0 ? undefined : this.aliased.exec(url)?.[2];
    return prefix?.replace(/\/\//g, '/') ?? this.rootPath;
  }

  /** @throws Error for a route that an alias hides, so that no request would reach it */
  checkReachable(routeUrl: string): void {
    if (this.toRouted(routeUrl) === routeUrl) return;
    throw new Error(`rootPathAliases: ${this.spelledIn(routeUrl)} is part of the path ${routeUrl}; use another alias`);
  }
}

function toPattern(path: string): string {
  return path.slice(1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
