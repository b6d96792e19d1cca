import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ElogBytes } from './elog-bytes.js';

/** Settings of an ELOG that the files of its entries do not contain. */
export interface ElogConfig {
  /** Path of the configuration file; undefined when there is none. */
  readonly file: string | undefined;
  readonly charset: string;
  /** Addresses of the server that the configuration file contains. */
  readonly addresses: readonly string[];
  /** Folders of the logbooks whose folder differs from their name, by name. */
  readonly folders: ReadonlyMap<string, string>;
  /** Paths of logbooks whose folders are elsewhere, by name. */
  readonly elsewhere: ReadonlyMap<string, string>;
  readonly attributeTypes: AttributeTypes;
}

/**
 * Returns the type of an attribute whose values are seconds since the epoch, which ELOG shows as a date or a time;
 * undefined for other attributes.
 */
export type AttributeTypes = (logbook: string, attribute: string) => 'date' | 'datetime' | undefined;

const maxBytes = 16_777_216;
const defaultCharset = 'iso-8859-1';

/** Reads `elogd.cfg` next to the folder of the logbooks. Without a file, returns the default settings. */
export async function readElogConfig(dir: string, logbooks: string): Promise<ElogConfig> {
  for (const file of new Set([join(dir, 'elogd.cfg'), join(dirname(logbooks), 'elogd.cfg')])) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && found.size <= maxBytes) return parse(file, await readFile(file, 'latin1'), logbooks);
  }
  const maps = { folders: new Map<string, string>(), elsewhere: new Map<string, string>() };
  return { file: undefined, charset: defaultCharset, addresses: [], ...maps, attributeTypes: () => undefined };
}

function parse(file: string, text: string, logbooks: string): ElogConfig {
  let section = '';
  let charset = defaultCharset;
  const addresses = new Set<string>();
  const folders = new Map<string, string>();
  const elsewhere = new Map<string, string>();
  const types = new Map<string, string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    section = /^\s*\[([^\]]{1,200})\]/.exec(line)?.[1] ?? section;
    const [, name = '', value = ''] = /^\s*([^#;=[]{1,100}?)\s*=\s*(.{0,1000}?)\s*$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === 'charset') charset = value;
    if (key === 'url' && URL.canParse(value)) addresses.add(value);
    const [, attribute] = /^type\s+(.+)$/.exec(key) ?? [];
    if (attribute !== undefined) types.set(toText(`${section}\n${attribute}`).toLowerCase(), value.toLowerCase());
    if ((key === 'subdir' || key === 'data dir') && value !== '') {
      const path = resolve(key === 'subdir' ? logbooks : dirname(file), toText(value));
      if (dirname(path) === logbooks) folders.set(toText(section), basename(path));
      else elsewhere.set(toText(section), path);
    }
  }
  const attributeTypes: AttributeTypes = (logbook, name) => {
    const type = [logbook, 'global'].map((one) => types.get(`${one}\n${name}`.toLowerCase())).find((one) => one);
    return type === 'date' || type === 'datetime' ? type : undefined;
  };
  return { file, charset, addresses: [...addresses], folders, elsewhere, attributeTypes };
}

const toText = (latin1: string) => new ElogBytes(defaultCharset).decode(Buffer.from(latin1, 'latin1'));
