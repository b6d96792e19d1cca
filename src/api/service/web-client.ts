import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The built files of the browser client. */
export interface WebClient {
  /** The only page, for the given root path. */
  readonly page: WebClientFile;
  /** SHA-256 of each script in the page, in Base64. */
  readonly scriptHashes: readonly string[];
  /** Files other than the page that keep their name in every version, by name. */
  readonly rootFiles: ReadonlyMap<string, WebClientFile>;
  /** The folder of the files whose names contain a hash of their content. */
  readonly assetsDir: string;
}

export interface WebClientFile {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.html': 'text/html; charset=utf-8',
};

/** Finds the built client; undefined in a checkout where it was not built. */
export async function findWebClient(rootPath: string, dir: string): Promise<WebClient | undefined> {
  const page = join(dir, 'index.html');
  if (!existsSync(page)) return undefined;
  const html = await readFile(page, 'utf8');
  const names = (await readdir(dir)).filter((name) => name !== 'index.html' && types[extname(name)] !== undefined);
  const rootFiles = await Promise.all(
    names.map(async (name) => [name, toFile(name, await readFile(join(dir, name)))] as const),
  );
  return {
    page: toFile('index.html', Buffer.from(withRootPath(html, rootPath))),
    scriptHashes: scriptHashes(html),
    rootFiles: new Map(rootFiles),
    assetsDir: join(dir, 'assets'),
  };
}

function scriptHashes(html: string): string[] {
  return Array.from(html.matchAll(/<script>([^<]*)<\/script>/g), ([, script = '']) =>
    createHash('sha256').update(script).digest('base64'),
  );
}

/** Writes the root path into the page, where its scripts read it. */
function withRootPath(html: string, rootPath: string): string {
  const escaped = rootPath.replace(/[&"<]/g, (char) => `&#${char.charCodeAt(0)};`);
  return html.replace(/(<meta name="root-path" content=")[^"]*/, (_, start: string) => start + escaped);
}

function toFile(name: string, content: Buffer): WebClientFile {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  return { type: types[extname(name)] ?? 'application/octet-stream', etag: `"${hash}"`, content };
}
