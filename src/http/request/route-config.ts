declare module 'fastify' {
  interface FastifyContextConfig {
    /** Omits the query from the log. */
    redactQuery?: true;
    /** The `WWW-Authenticate` header of a 401; null: none; default: HTTP Basic. */
    challenge?: string | null;
  }
}

export {};
