import type { Block, ImageRun, Marks, Run } from './text-model.js';
import { writtenScript } from './written-script.js';

/** Text with significant white space. Its links and images follow it, because CommonMark does not show them in code. */
export class PreformattedText {
  isLossy = false;
  private readonly parts: string[] = [];
  private readonly extras: Run[] = [];

  text(text: string, marks: Marks): void {
    this.isLossy ||= marks.isStrong || marks.isEmphasis;
    this.parts.push(writtenScript(text, marks.script));
    if (marks.link !== undefined && text.trim() !== '') {
      this.addExtra({ kind: 'text', text: text.trim(), marks: { ...marks, isCode: false, script: undefined } });
    }
  }

  image(run: ImageRun): void {
    this.addExtra(run);
  }

  toBlocks(): Block[] {
    const text = this.parts
      .join('')
      .replace(/^\r?\n/, '')
      .trimEnd();
    const code: Block[] = text.trim() === '' ? [] : [{ kind: 'code', text: text.replace(/\r\n?/g, '\n') }];
    return this.extras.length === 0 ? code : [...code, { kind: 'paragraph', runs: this.extras }];
  }

  private addExtra(run: Run): void {
    if (this.extras.length > 0) this.extras.push({ kind: 'text', text: ' ', marks: { ...run.marks, link: undefined } });
    this.extras.push(run);
  }
}
