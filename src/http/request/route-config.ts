declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that was sent; empty: no error. */
    faultCode: string;
    /** SHA-256 of the JSON body of a request with an idempotency key; otherwise empty. */
    bodyDigest: string;
  }
  interface FastifyContextConfig {
    /** Omits the query from the log. */
    redactQuery?: true;
    /** The `WWW-Authenticate` header of a 401; null: none; default: HTTP Basic. */
    challenge?: string | null;
  }
}

export {};
