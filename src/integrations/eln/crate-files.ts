import { type Loose, type Remark, textOf } from '../../imports/entry-values.js';
import type { ImportedAttachment } from '../../imports/import-source.port.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { derivedId } from '../../kernel/derived-id.js';
import { quoted } from '../../kernel/fault.js';
import type { CrateGraph } from './crate-graph.js';
import { isPartOfEntry } from './crate-items.js';
import { decoded, type ReferredFile } from './crate-text.js';
import { hasType, idsIn, textIn } from './crate-values.js';

/** Maximum number of files of an entry. */
const maxFiles = 1_000;
/** Files of the archive itself. */
export const ownFile = /^ro-crate-(metadata[.]json(ld|[.]minisig)?$|preview([.]html$|_files\/))/;
const isAddress = (id: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(id);

/** A file of an entry, in the forms for texts and for imports. */
interface CrateFile {
  readonly referred: ReferredFile;
  readonly attachment: ImportedAttachment;
}

interface CrateFiles {
  readonly files: readonly CrateFile[];
  /** Addresses of files elsewhere, which are never fetched. */
  readonly addresses: readonly string[];
}

/** Finds the files of entries in an archive. */
export class FileFinder {
  private composedNames: ReadonlyMap<string, string> | undefined;

  constructor(
    private readonly graph: CrateGraph,
    private readonly zip: ZipReader,
    /** Folder of the crate in the archive, with a slash at its end. */
    private readonly root: string,
    private readonly sourceName: string,
  ) {}

  /** Returns the ids of the files of an entry and of its folders. */
  listIds(node: Loose, listed: ReadonlySet<string>): string[] {
    const ids: string[] = [];
    const seen = new Set<string>();
    const waiting: Loose[] = [node];
    for (const one of waiting) {
      for (const id of idsIn(one.hasPart)) {
        if (seen.has(id)) continue;
        seen.add(id);
        const part = this.graph.find(id);
        // A file in the archive counts as a file even if its node says otherwise, or is missing.
        if (this.isFile(part ?? {}, id)) ids.push(id);
        else if (part && isPartOfEntry(one, part, listed.has(id))) waiting.push(part);
      }
    }
    return ids;
  }

  private isFile(node: Loose, id: string): boolean {
    if (hasType(node, 'File')) return true;
    return !hasType(node, 'Dataset') && !hasType(node, 'Comment') && !ownFile.test(id) && this.zip.has(this.locate(id));
  }

  /** @param hasOwnIds whether the crate contains the ids of the attachments to which its texts refer */
  read(ids: readonly string[], hasOwnIds: boolean, remark: Remark): CrateFiles {
    const local = ids.filter((id) => !isAddress(id));
    if (local.length > maxFiles) {
      remark(
        `It has ${local.length} files; only the first ${maxFiles} were imported, and ${quoted(local[maxFiles])} is the next.`,
      );
    }
    const files = local.slice(0, maxFiles).map((id) => this.toFile(id, hasOwnIds, remark));
    return { files, addresses: ids.filter(isAddress) };
  }

  private toFile(id: string, hasOwnIds: boolean, remark: Remark): CrateFile {
    const node = this.graph.find(id) ?? {};
    const name = this.locate(id);
    const obstacle = this.zip.findObstacle(name);
    if (obstacle !== undefined) remark(`The file ${quoted(id)} ${obstacle}.`);
    const base = decoded(id).split('/').at(-1) || 'file';
    const given = textIn(node.name)?.trim() ?? '';
    const filename = given === '' || /[/\\]/.test(given) ? base : given;
    const checksum = textOf(node.sha256)?.toLowerCase();
    const size = Number(textOf(node.contentSize) ?? Number.NaN);
    const own = hasOwnIds ? textOf(node.identifier) : undefined;
    const attachmentId = own ?? derivedId(`${this.sourceName} ${id} ${checksum ?? this.zip.fingerprint(name)}`);
    const described = textIn(node.description) ?? textIn(this.graph.resolve(node.description)?.text);
    const attachment: ImportedAttachment = {
      id: attachmentId,
      filename,
      fileMetadataDescription: described,
      size: Number.isSafeInteger(size) ? size : undefined,
      checksum: checksum !== undefined && /^[0-9a-f]{64}$/.test(checksum) ? checksum : undefined,
      isLocal: true,
      open: async () => {
        const content = obstacle === undefined ? await this.zip.find(name) : undefined;
        return content && { content, mediaType: undefined };
      },
    };
    const names = [filename, base, textOf(node.alternateName) ?? filename];
    return { referred: { id: attachmentId, path: decoded(id), names }, attachment };
  }

  /** Finds the name of a file in the archive. Programs may escape special characters, and macOS decomposes accents. */
  locate(id: string): string {
    const unescaped = `${this.root}${decoded(id)}`;
    const composed = unescaped.normalize();
    const names = [`${this.root}${id}`, unescaped, composed];
    return names.find((name) => this.zip.has(name)) ?? this.composed.get(composed) ?? unescaped;
  }

  /** Decomposed names in the archive, by their composed forms. */
  private get composed(): ReadonlyMap<string, string> {
    this.composedNames ??= new Map(
      [...this.zip.names()].flatMap((name) => {
        const composed = name.normalize();
        return composed === name ? [] : [[composed, name]];
      }),
    );
    return this.composedNames;
  }
}
