/** Kind of a text: a comment, a string of the program or of the client, or a page of the documentation. */
export type Scope = 'comment' | 'message' | 'page';

/** A phrase to avoid. A space in `find` matches any white space; upper and lower case are the same. */
export interface PhraseRule {
  readonly find: RegExp;
  readonly instead: string;
  /** Default: all. */
  readonly scopes?: readonly Scope[];
}

const noun = 'begin with the noun (“Maximum number of …”, “Whether …”) or the verb (“Returns …”)';
const noPhrase = 'begin with the subject of the sentence, and put this phrase behind its verb';

/** Words with which no comment begins, with what to write instead. */
export const commentOpenings: ReadonlyMap<string, string> = new Map([
  ['What', noun],
  ['Of', noun],
  ['Those', noun],
  ['That', noun],
  ['By', noPhrase],
  ['For', noPhrase],
  ['From', noPhrase],
  ['In', noPhrase],
  ['So', 'name the effect as a sentence with a subject (“The order lets …”)'],
  ['Without', noPhrase],
  ['Otherwise', 'say what would happen (“A lost connection would end …”)'],
]);

/** Words with which no heading begins: titles are noun phrases or imperatives. */
export const headingOpenings: ReadonlyMap<string, string> = new Map(
  ['What', 'Of', 'Those', 'That', 'If', 'When', 'Where', 'Which', 'Who', 'Whose', 'Why'].map((word) => [
    word,
    'write a noun phrase or an imperative (“Monitoring”, “Restore a backup”)',
  ]),
);

/** Field terms and habits to drop. */
export const phrases: readonly PhraseRule[] = [
  { find: /\b(?:is|are|was|were|be|been|being) away\b(?! from)/, instead: 'unreachable' },
  { find: /\b(?:stands?|stood|standing) still\b/, instead: 'hangs, is idle' },
  { find: /\b(?:puts?|putting) back\b|\b(?:is|are|was|were|be|been) put back\b/, instead: 'restored, set back' },
  { find: /\b(?:go|goes|went|going|gone) on\b/, instead: 'continues, happens' },
  { find: /\b(?:begin|begins|began|begun|beginning) again\b/, instead: 'restarts, repeats' },
  { find: /\b(?:make|makes|made|making) again\b/, instead: 'rebuilds, repeats' },
  { find: /\b(?:build|builds|built|building) again\b/, instead: 'rebuilds' },
  { find: /\b(?:start|starts|started) again\b/, instead: 'restarts' },
  { find: /\b(?:look|looks|looked|looking) after\b/, instead: 'administers (people), schedules (jobs)' },
  { find: /\ball the same\b/, instead: 'still, anyway' },
  { find: /\bmeanwhile\b/, instead: 'in the meantime, concurrently' },
  { find: /\b(?:hear|hears|heard) of\b/, instead: 'is notified of' },
  { find: /\b(?:go|goes) first\b/, instead: 'has priority' },
  { find: /\bby (?:itself|themselves)\b/, instead: 'automatically, alone' },
  { find: /\bso (?:many|long)\b(?! as)|\bby so much\b/, instead: 'the number or the setting' },
  { find: /\bbeside\b/, instead: 'in addition to, next to, other than' },
  { find: /\ball that\b/, instead: 'everything that, all …' },
  { find: /\bwholly\b/, instead: 'completely' },
  { find: /\bsee to (?:that|it)\b/, instead: 'ensure' },
  { find: /\bfail-overs?\b/, instead: 'failover' },
  { find: /\bat once\b/, instead: 'immediately, at the same time' },
  { find: /\bwhoever\b/, instead: 'anyone who' },
  { find: /\b(?:tell|tells|told|telling) of\b/, instead: 'notifies of, announces, mentions' },
  { find: /\b(?:take|takes|took|taken|taking) the place of\b|\bin the place of\b/, instead: 'replaces, in place of' },
  { find: /\bthe place of\b/, instead: 'target, position, path' },
  { find: /\belse than\b/, instead: 'other than' },
  { find: /\bkeeps? nothing\b/, instead: 'does not prevent … from' },
];

/** Words in names of tables, columns and indexes that the glossary replaces. */
export const sqlWords: ReadonlyMap<string, string> = new Map([
  ['follower', 'subscriber'],
  ['letters', 'deliveries'],
  ['late', 'backdated'],
  ['unread', 'pending'],
  ['repeatable', 'idempotent'],
  ['again', 'retry'],
]);

/** Names that earlier migrations create, and that later ones have replaced. */
export const storedSqlNames: ReadonlySet<string> = new Set([
  'follower',
  'dead_letter_again',
  'dead_letter_follower',
  'dropped_letters',
  'late_entry',
  'repeatable_write',
  'repeatable_write_long',
  'repeatable_write_time',
  'unread_file',
]);

const notImperative = 'write the subject in the imperative (“Add …”, “Reject …”)';
/** First words of subjects that end like a past tense, a third person or a gerund. */
const imperatives =
  /^(?:\w+ss|Focus|Alias|Need|\w*[Ff]eed|Embed|Seed|Speed|Shed|Shred|Exceed|Proceed|Bring|String|Ping)$/;

/** Returns what is wrong with the subject of a commit. */
export function checkSubject(subject: string): string[] {
  const [first = ''] = subject.split(' ');
  return [
    ...(subject.length > 72 ? [`it has ${subject.length} characters: write at most 72`] : []),
    ...(subject.endsWith('.') ? ['it ends with a full stop: remove it'] : []),
    ...(/^[A-Z]/.test(first) ? [] : ['it does not begin with a capital letter']),
    ...(/(?:ed|s|ing)$/.test(first) && !imperatives.test(first) ? [`“${first}”: ${notImperative}`] : []),
    ...(commentOpenings.has(first) ? [`“${first}”: ${notImperative}`] : []),
  ];
}
