import { readCpuMs } from '../cpu.js';
import type { Request } from '../load.js';
import { readMemory } from '../memory.js';

/** A service that speaks the interface of the logbook, at a base URL such as `http://localhost:8181/logbook`. */
export class Side {
  private readonly url: URL;
  private readonly authorization: string;

  /**
   * @param user `name:password` of a user who may write entries and the catalogue
   * @param pids the processes of the service on this machine; none: CPU and memory are not measured
   */
  constructor(
    readonly name: string,
    baseUrl: string,
    user: string,
    private readonly pids: readonly number[],
  ) {
    this.url = new URL(baseUrl);
    this.authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  }

  get origin(): string {
    return this.url.origin;
  }

  get(path: string): Request {
    return { method: 'GET', path: this.pathOf(path), headers: {}, body: [] };
  }

  send(method: string, path: string, json: unknown): Request {
    const body = Buffer.from(JSON.stringify(json));
    const headers = {
      authorization: this.authorization,
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    return { method, path: this.pathOf(path), headers, body: [body] };
  }

  /** Sends one request and reads the JSON of its response. Throws at a status other than 2xx. */
  async json(request: Request): Promise<unknown> {
    const { method, path, headers, body } = request;
    const response = await fetch(`${this.origin}${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length')),
      ...(body.length > 0 && { body: new Uint8Array(Buffer.concat(body)) }),
    });
    if (!response.ok) {
      const text = (await response.text()).slice(0, 300);
      throw new Error(`${this.name}: ${method} ${path} got ${response.status}: ${text}`);
    }
    return response.json();
  }

  /**
   * Number of search results so far, and how many of them were not computed again; undefined if the service does not
   * count them.
   */
  async searchResults(): Promise<{ readonly all: number; readonly reused: number } | undefined> {
    const metrics = await (await fetch(`${this.origin}/metrics`)).text();
    const count = (kind: string) =>
      Number(new RegExp(`^logbook_search_results\\{kind="${kind}"\\} (\\d+)`, 'm').exec(metrics)?.[1] ?? Number.NaN);
    const [computed, reused] = [count('computed'), count('reused')];
    return Number.isNaN(computed + reused) ? undefined : { all: computed + reused, reused };
  }

  /** CPU time of all its processes so far, in milliseconds; undefined when they are not known. */
  cpuMs(): number | undefined {
    return this.sum(readCpuMs);
  }

  /** Resident size of all its processes in MB; undefined when they are not known. */
  residentMb(): number | undefined {
    return this.sum((pid) => readMemory(pid)?.now ?? Number.NaN);
  }

  private sum(read: (pid: number) => number): number | undefined {
    return this.pids.length === 0 ? undefined : this.pids.reduce((sum, pid) => sum + read(pid), 0);
  }

  private pathOf(path: string): string {
    return `${this.url.pathname.replace(/\/$/, '')}${path}`;
  }
}
