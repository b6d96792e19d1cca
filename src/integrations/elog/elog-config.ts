import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Settings of an ELOG that its files do not show. */
export interface ElogConfig {
  /** Path of the file; undefined when there is none. */
  readonly file: string | undefined;
  readonly charset: string;
  /** Addresses of the server, as far as the file says. */
  readonly addresses: readonly string[];
  /** Folder of a logbook, by its name in lower case, where they differ. */
  readonly folders: ReadonlyMap<string, string>;
}

const maxBytes = 16_777_216;
export const defaultCharset = 'iso-8859-1';

/** Reads `elogd.cfg` beside the folder of the logbooks. A file that is missing has the settings of none. */
export async function readElogConfig(dir: string, logbooks: string): Promise<ElogConfig> {
  for (const file of new Set([join(dir, 'elogd.cfg'), join(dirname(logbooks), 'elogd.cfg')])) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && found.size <= maxBytes) return parse(file, await readFile(file, 'latin1'));
  }
  return { file: undefined, charset: defaultCharset, addresses: [], folders: new Map() };
}

function parse(file: string, text: string): ElogConfig {
  let section = '';
  let charset = defaultCharset;
  const addresses = new Set<string>();
  const folders = new Map<string, string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    section = /^\s*\[([^\]]{1,200})\]/.exec(line)?.[1] ?? section;
    const [, name = '', value = ''] = /^\s*([^#;=[]{1,100}?)\s*=\s*(.{0,1000}?)\s*$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === 'charset') charset = value;
    if (key === 'url' && URL.canParse(value)) addresses.add(value);
    if ((key === 'subdir' || key === 'data dir') && value !== '') {
      folders.set(
        Buffer.from(section, 'latin1').toString().toLowerCase(),
        basename(Buffer.from(value, 'latin1').toString()),
      );
    }
  }
  return { file, charset, addresses: [...addresses], folders };
}
