/**
 * Cost of a request: the shared resource that it needs. `read`: the event loop; `download`: the storage of files, which
 * may hang or have to verify a long file first; `search`: the search threads; `write`: the only writer; `upload`: open
 * files and the disk; `device`: the servers of the control system.
 */
export type Cost = 'read' | 'download' | 'search' | 'write' | 'upload' | 'device';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Cost of the route; `none`: its requests do not wait for a turn. Default: see `costOf`. */
    cost?: Cost | 'none';
  }
}
