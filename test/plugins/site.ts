import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { listening, portOf, stopServer } from '../fixtures/local-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly plugin?: string;
  readonly plugins?: readonly string[];
  readonly problem?: string;
  readonly entries?: number;
  readonly err?: { readonly message: string };
}

/** A directory with a configuration file and plug-in modules, and the service that runs them. */
export class Site {
  readonly log: LogLine[] = [];
  private services: TestService[] = [];

  private constructor(readonly dir: string) {}

  static async make(files: Readonly<Record<string, string>>): Promise<Site> {
    const site = new Site(await makeTempDir());
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(site.dir, name)), { recursive: true });
      await writeFile(join(site.dir, name), text);
    }
    return site;
  }

  async start(...lines: string[]): Promise<TestService> {
    const file = await this.configure(...lines);
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        this.log.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const service = await TestService.start({}, join(this.dir, 'data'), pino({ level: 'info' }, sink), {
      configFile: file,
    });
    this.services.push(service);
    return service;
  }

  async configure(...lines: string[]): Promise<string> {
    const file = join(this.dir, 'logbook.properties');
    await writeFile(file, lines.join('\n'));
    return file;
  }

  warnings(plugin: string): LogLine[] {
    return this.log.filter((line) => line.level >= 40 && line.plugin === plugin);
  }

  async remove(): Promise<void> {
    for (const service of this.services) await service.stop({ keepData: true });
    await rm(this.dir, { recursive: true, force: true });
  }
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A web server of the site, which records its requests. */
export class SiteServer {
  readonly received: Received[] = [];
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(
    respond: (request: Received, response: ServerResponse) => void | Promise<void> = (_request, response) => {
      response.end();
    },
  ): Promise<SiteServer> {
    const server = await listening(createServer());
    const site = new SiteServer(server, `http://127.0.0.1:${portOf(server)}/`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const { method = '', url: path = '', headers } = request;
        site.received.push({ method, path, headers, body });
        for (const wake of site.waiting.splice(0)) wake();
        void respond({ method, path, headers, body }, response);
      });
    });
    return site;
  }

  /** Resolves once it has received at least `count` requests. */
  async waitFor(count: number): Promise<Received[]> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
    return this.received;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }
}
