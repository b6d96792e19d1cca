interface Waiting<Q, A> {
  readonly question: Q;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/**
 * Answers all questions that arrived during the previous statement with a single statement. It begins after they
 * arrived, so the answers include everything stored before.
 */
export class GroupedRead<Q, A> {
  private waiting: Waiting<Q, A>[] = [];
  private isReading = false;

  /** @param read returns the answers in the order of the questions */
  constructor(private readonly read: (questions: readonly Q[]) => Promise<readonly A[]>) {}

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (!this.isReading) void this.readWaiting();
    });
  }

  private async readWaiting(): Promise<void> {
    this.isReading = true;
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      try {
        const answers = await this.read(group.map(({ question }) => question));
        group.forEach(({ resolve }, at) => {
          resolve(answers[at] as A);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.isReading = false;
  }
}
