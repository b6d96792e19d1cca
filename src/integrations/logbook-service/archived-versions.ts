import { countOf, isRecord, type Loose, timeOf } from '../../imports/entry-values.js';
import { counted } from '../../kernel/text.js';
import { hitsOf } from './entry-walk.js';
import { absentId, ItemFailure, type ItemRequests } from './item-requests.js';

/** Earlier versions of an entry that a service shows. */
export interface ShownVersions {
  /** Oldest first. */
  readonly versions: readonly Loose[];
  /** Sentence about the versions that the service does not show; undefined: it shows all. */
  readonly hidden: string | undefined;
  /** Whether the service may have versions although it listed none, so that a later run asks again. */
  readonly isUncertain: boolean;
}

interface Answer {
  readonly hits: readonly Loose[];
  readonly hitCount: number;
}

/** Maximum count that services of this family report. */
const maxCount = 10_000;
/** Number of refusals after which a service that has listed no versions at all counts as one without versions. */
const maxUncertain = 10;

/**
 * Lists the earlier versions of entries. Services of this family interpret the id as a prefix: for entry 2, they list
 * at most ten versions of the entries 2, 20, 21 and so on, the newest edits first.
 */
export class ArchivedVersions {
  /** Whether the last entry was refused like one that does not exist, so that repeating such requests is pointless. */
  private isWithoutVersions = false;
  private hasListed = false;
  private refused = 0;

  constructor(private readonly requests: ItemRequests) {}

  async list(id: number, signal: AbortSignal): Promise<ShownVersions | ItemFailure> {
    const answer = await this.ask(String(id), signal);
    if (answer instanceof ItemFailure) {
      if (!answer.isAbsent) return answer;
      this.isWithoutVersions = true;
      const hidden = `The source does not show the earlier versions of entry ${id}.`;
      this.refused += 1;
      // If every refusal were uncertain, each run would store all edited entries of a service without versions again.
      const isUncertain = !answer.isNotFound && (this.hasListed || this.refused <= maxUncertain);
      return { versions: [], hidden, isUncertain };
    }
    this.isWithoutVersions = false;
    this.hasListed = true;
    const versions = answer.hits
      .filter((hit) => entryIdOf(hit) === id)
      .map((hit, at, all) => ({ hit, number: versionOf(hit, all.length - at) }))
      .sort((one, other) => editedMs(one.hit) - editedMs(other.hit) || one.number - other.number)
      .map(({ hit }) => hit);
    const hidden = await this.describeHidden(id, answer, versions.length, signal);
    return { versions, hidden, isUncertain: false };
  }

  private async ask(idOrBeginning: string, signal: AbortSignal): Promise<Answer | ItemFailure> {
    const attempts = this.isWithoutVersions ? 1 : undefined;
    const [path, absentPath] = [idOrBeginning, absentId].map((one) => `/logs/archived/${one}`) as [string, string];
    const answer = await this.requests.find(path, absentPath, signal, attempts);
    if (answer instanceof ItemFailure) return answer;
    try {
      const hits = hitsOf(answer.body);
      const { hitCount } = isRecord(answer.body) ? answer.body : {};
      return { hits, hitCount: countOf(hitCount) ?? hits.length };
    } catch (error) {
      return new ItemFailure((error as Error).message, 200);
    }
  }

  private async describeHidden(
    id: number,
    { hits, hitCount }: Answer,
    shown: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (hitCount <= hits.length) return undefined;
    const others = hitCount < maxCount ? await this.countLonger(id, signal) : undefined;
    if (others === undefined) {
      return `The source shows ${shown} earlier versions of entry ${id}, and may have more that it does not show.`;
    }
    const exact = hitCount - others - shown;
    const hidden = exact < 0 ? hitCount - hits.length : exact;
    if (hidden === 0) return undefined;
    const which = hidden === 1 ? 'version 1' : `versions 1 to ${hidden}`;
    return `The source does not show ${which} of ${counted(hidden + shown, 'earlier version')} of entry ${id}.`;
  }

  /** Counts the versions of entries with longer ids that begin with this one; undefined when the number is unknown. */
  private async countLonger(id: number, signal: AbortSignal): Promise<number | undefined> {
    let versions = 0;
    for (let digit = 0; digit <= 9 && id > 0; digit++) {
      const answer = await this.ask(`${id}${digit}`, signal);
      if (answer instanceof ItemFailure) return undefined;
      versions += answer.hitCount;
    }
    return versions;
  }
}

const editedMs = ({ modifyDate, createdDate }: Loose) => timeOf(modifyDate) ?? timeOf(createdDate) ?? 0;

/** Returns the id of the entry of a version, whose own id may be `42_v1`, for example; undefined when it has none. */
function entryIdOf({ id }: Loose): number | undefined {
  const [, number] = /^(\d{1,15})(?:_.*)?$/.exec(String(id)) ?? [];
  return number === undefined ? undefined : Number(number);
}

/**
 * Returns the number of a version. Services list versions under ids such as `42_v1`, in any order and sometimes twice.
 */
function versionOf({ id, version }: Loose, otherwise: number): number {
  const [, number] = /_v?(\d{1,9})$/.exec(String(id)) ?? [];
  if (number !== undefined) return Number(number);
  return typeof version === 'number' ? version : otherwise;
}
