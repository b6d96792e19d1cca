import { join } from 'node:path';
import type { Cluster } from '../fixtures/cluster.js';
import { OpenSearchServer } from '../fixtures/opensearch-server.js';
import { PostgresEngine } from '../fixtures/postgres-engine.js';
import type { PostgresServer } from '../fixtures/postgres-server.js';
import { startStandby, synchronousSettings } from '../fixtures/postgres-standby.js';
import { S3Server } from '../fixtures/s3-server.js';
import { StallingProxy } from '../fixtures/stalling-proxy.js';

export interface DrillEngines {
  readonly nodes: number;
  readonly blobs: 'files' | 's3';
  readonly index: 'embedded' | 'opensearch';
}

/** What the nodes of a drill work on: each node reaches the database by a network of its own. */
export class DrillServers {
  private constructor(
    readonly engine: PostgresEngine,
    readonly standby: PostgresServer,
    /** By node: to the primary, and to the standby. */
    readonly links: readonly (readonly StallingProxy[])[],
    readonly s3: S3Server | undefined,
    readonly openSearch: OpenSearchServer | undefined,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async start({ nodes, blobs, index }: DrillEngines): Promise<DrillServers> {
    const engine = await PostgresEngine.start(synchronousSettings);
    let [standby, s3, openSearch]: [PostgresServer?, S3Server?, OpenSearchServer?] = [];
    try {
      standby = await startStandby(engine.server, join(engine.dir, 'standby'));
      s3 = blobs === 's3' ? await S3Server.start() : undefined;
      openSearch = index === 'opensearch' ? await OpenSearchServer.start() : undefined;
      const ports = [engine.server.port, standby.port];
      const linksOf = () => Promise.all(ports.map((port) => StallingProxy.start(port)));
      const links = await Promise.all(Array.from({ length: nodes }, linksOf));
      const settings = { ...(s3 && (await s3Settings(s3))), ...(openSearch && openSearchSettings(openSearch)) };
      return new DrillServers(engine, standby, links, s3, openSearch, settings);
    } catch (error) {
      await Promise.all([standby?.stop(), s3?.stop(), openSearch?.stop()]);
      await engine.stop();
      throw error;
    }
  }

  get primary(): PostgresServer {
    return this.engine.server;
  }

  async startNode(cluster: Cluster, index: number): Promise<void> {
    const postgresHosts = (this.links[index] ?? []).map(({ port }) => `127.0.0.1:${port}`).join(',');
    await cluster.start(index, { settings: { ...this.settings, postgresHosts } });
  }

  async stop(): Promise<void> {
    await Promise.all(this.links.flat().map((link) => link.stop()));
    await Promise.all([this.standby.stop(), this.s3?.stop(), this.openSearch?.stop()]);
    await this.engine.stop();
  }
}

async function s3Settings(server: S3Server): Promise<Record<string, string>> {
  const { bucket, accessKey, secretKey } = await server.newBucket();
  return {
    blobs: 's3',
    s3Endpoints: server.endpoint,
    s3Bucket: bucket,
    s3AccessKey: accessKey,
    s3SecretKey: secretKey,
    s3RequestTimeout: '5s',
  };
}

function openSearchSettings(server: OpenSearchServer): Record<string, string> {
  return { index: 'opensearch', opensearchNodes: server.node };
}
