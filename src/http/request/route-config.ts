declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that the request was responded to with; empty: none. */
    faultCode: string;
  }
  interface FastifyContextConfig {
    /** Keeps the query out of the log. */
    redactQuery?: true;
    /** `WWW-Authenticate` of a 401 in place of HTTP Basic. */
    challenge?: string;
  }
}

export {};
