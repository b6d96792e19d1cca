import { join } from 'node:path';
import type { Cluster } from '../fixtures/cluster.js';
import { PostgresEngine } from '../fixtures/postgres-engine.js';
import type { PostgresServer } from '../fixtures/postgres-server.js';
import { startStandby, synchronousSettings } from '../fixtures/postgres-standby.js';
import { StallingProxy } from '../fixtures/stalling-proxy.js';
import { BackendServers, type Backends } from './backend-servers.js';

export interface DrillEngines extends Backends {
  readonly nodes: number;
}

/** Servers that the nodes of a drill use. Each node reaches the database through its own network. */
export class DrillServers {
  private constructor(
    readonly engine: PostgresEngine,
    readonly standby: PostgresServer,
    /** Connections of each node: to the primary, and to the standby. */
    readonly links: readonly (readonly StallingProxy[])[],
    readonly backends: BackendServers,
  ) {}

  static async start({ nodes, ...wanted }: DrillEngines): Promise<DrillServers> {
    const engine = await PostgresEngine.start(synchronousSettings);
    let [standby, backends]: [PostgresServer?, BackendServers?] = [];
    try {
      standby = await startStandby(engine.server, join(engine.dir, 'standby'));
      backends = await BackendServers.start(wanted);
      const ports = [engine.server.port, standby.port];
      const linksOf = () => Promise.all(ports.map((port) => StallingProxy.start(port)));
      const links = await Promise.all(Array.from({ length: nodes }, linksOf));
      return new DrillServers(engine, standby, links, backends);
    } catch (error) {
      await Promise.all([standby?.stop(), backends?.stop()]);
      await engine.stop();
      throw error;
    }
  }

  get primary(): PostgresServer {
    return this.engine.server;
  }

  async startNode(cluster: Cluster, index: number): Promise<void> {
    const postgresHosts = (this.links[index] ?? []).map(({ port }) => `127.0.0.1:${port}`).join(',');
    await cluster.start(index, { settings: { ...this.backends.settings, postgresHosts } });
  }

  async stop(): Promise<void> {
    await Promise.all(this.links.flat().map((link) => link.stop()));
    await Promise.all([this.standby.stop(), this.backends.stop()]);
    await this.engine.stop();
  }
}
