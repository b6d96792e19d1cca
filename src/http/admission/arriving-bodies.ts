export interface ArrivingBodiesLimits {
  /** Maximum size of the unfinished bodies held for one client, in bytes. */
  readonly bytesPerClient: number;
  /** Maximum size of all unfinished bodies held, in bytes. */
  readonly bytes: number;
}

export interface ArrivingBody {
  /** Counts bytes that arrived. It may refuse this body, or others to make room for it. */
  add(bytes: number): void;
  /** Stops counting the body. Has no effect after the first call. */
  end(): void;
}

interface Body {
  readonly clientName: string;
  bytes: number;
  hasEnded: boolean;
  readonly refuse: () => void;
}

/** A client with bytes of unfinished bodies. */
interface Client {
  bytes: number;
  /** Bodies in the order of their last bytes, the most recent last. */
  readonly bodies: Set<Body>;
}

/**
 * Bounds the memory of bodies that are arriving. Only bytes that have arrived count, so a connection on which nothing
 * is sent costs nothing. When a client exceeds its limit, its body that has been idle longest is refused. When all
 * clients together exceed theirs, a body of the client with the most bytes is refused.
 */
export class ArrivingBodies {
  private readonly clients = new Map<string, Client>();
  private bytes = 0;

  constructor(readonly limits: ArrivingBodiesLimits) {}

  /** @param onRefused is called at most once, while bytes are added to this body or another */
  start(clientName: string, onRefused: () => void): ArrivingBody {
    const body: Body = { clientName, bytes: 0, hasEnded: false, refuse: onRefused };
    return { add: (bytes) => this.add(body, bytes), end: () => this.end(body) };
  }

  private add(body: Body, bytes: number): void {
    if (body.hasEnded) return;
    const client = this.clients.get(body.clientName) ?? { bytes: 0, bodies: new Set() };
    this.clients.set(body.clientName, client);
    client.bodies.delete(body);
    client.bodies.add(body);
    this.count(client, body, bytes);
    while (client.bytes > this.limits.bytesPerClient) this.refuseOne(client);
    while (this.bytes > this.limits.bytes) this.refuseOne(this.largestClient());
  }

  private refuseOne({ bodies }: Client): void {
    const [body] = bodies;
    if (!body) throw new Error('a client without bodies has bytes');
    this.end(body);
    body.refuse();
  }

  private largestClient(): Client {
    return [...this.clients.values()].reduce((most, client) => (client.bytes > most.bytes ? client : most));
  }

  private end(body: Body): void {
    body.hasEnded = true;
    const client = this.clients.get(body.clientName);
    if (!client?.bodies.delete(body)) return;
    this.count(client, body, -body.bytes);
    if (client.bodies.size === 0) this.clients.delete(body.clientName);
  }

  private count(client: Client, body: Body, bytes: number): void {
    body.bytes += bytes;
    client.bytes += bytes;
    this.bytes += bytes;
  }
}
