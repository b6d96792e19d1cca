/** File descriptors of listening sockets that the service manager holds; a listener without one opens its own. */
export interface PassedSockets {
  readonly http?: number;
  readonly https?: number;
}
