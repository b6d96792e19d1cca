import { OpenSearchServer } from '../fixtures/opensearch-server.js';
import { S3Server } from '../fixtures/s3-server.js';

export interface Backends {
  readonly blobs: 'files' | 's3';
  readonly index: 'embedded' | 'opensearch';
}

/** Servers other than the database that the nodes of a drill use. */
export class BackendServers {
  private constructor(
    readonly s3: S3Server | undefined,
    readonly openSearch: OpenSearchServer | undefined,
    /** Settings by which a node uses them. */
    readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async start({ blobs, index }: Backends): Promise<BackendServers> {
    const s3 = blobs === 's3' ? await S3Server.start() : undefined;
    try {
      const openSearch = index === 'opensearch' ? await OpenSearchServer.start() : undefined;
      const settings = { ...(s3 && (await s3Settings(s3))), ...(openSearch && openSearchSettings(openSearch)) };
      return new BackendServers(s3, openSearch, settings);
    } catch (error) {
      await s3?.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.s3?.stop(), this.openSearch?.stop()]);
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
