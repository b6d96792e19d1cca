/**
 * Name of the mark in each directory, bucket or database into which a restore writes. Services cannot use it while the
 * mark exists.
 */
export const restoreMarkName = 'restore-incomplete';

export interface RestoreMark {
  readonly backup: string;
  /** Id of the logbook that is copied; undefined: the command `restore` has set the mark. */
  readonly copyOf: string | undefined;
  /**
   * Whether the restore into a data directory is complete, except for comparing a copy with its original and removing
   * the marks.
   */
  readonly isRestored: boolean;
}

/** Returns whether the content of a restore target with this mark may be replaced. */
export type MayReplace = (found: RestoreMark) => boolean;

/** The mark of a running restore, and the earlier content that it may replace. */
export interface RestoreRun {
  readonly mark: RestoreMark;
  readonly mayReplace: MayReplace;
}

export function encodeMark({ backup, copyOf, isRestored }: RestoreMark): string {
  return [backup, ...(copyOf === undefined ? [] : [`copy of ${copyOf}`]), ...(isRestored ? ['restored'] : []), ''].join(
    '\n',
  );
}

export function decodeMark(text: string): RestoreMark {
  const [backup = '', ...lines] = text.split('\n').map((line) => line.trim());
  const copyOf = lines.find((line) => line.startsWith('copy of '))?.slice('copy of '.length);
  return { backup, copyOf, isRestored: lines.includes('restored') };
}

/** Returns an error that says why a restore target with this mark cannot be used, and what to do. */
export function refusalOf({ backup, copyOf }: RestoreMark, place: string, restore = 'logbook restore'): Error {
  return new Error(
    copyOf === undefined
      ? `The restore of the backup ${backup} into ${place} was not completed. Nothing was changed. Run “${restore}” again with the backup target and --start-over.`
      : `The copy of the logbook ${copyOf} into ${place} was not completed: it is not yet proved equal to the original. Nothing was changed. Run the same “logbook copy” again, which continues, or choose another target.`,
  );
}
