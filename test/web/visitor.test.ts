import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { pasteImage } from '../fixtures/paste-image.js';
import { TestService } from '../fixtures/service.js';
import { shiftsAround } from '../fixtures/shifts-around.js';
import { useBrowser, withoutBrowser } from '../fixtures/web-client.js';
import { tell, tellStory } from '../fixtures/web-story.js';

/** Words that a visitor reads on the screen. They know nothing else of the client. */
interface Words {
  readonly search: string;
  readonly signIn: string;
  readonly signOut: string;
  readonly user: string;
  readonly password: string;
  readonly account: (name: string) => string;
  readonly newEntry: string;
  readonly title: string;
  readonly text: string;
  readonly logbooks: string;
  readonly ready: string;
  readonly create: string;
  readonly created: RegExp;
  readonly open: string;
  readonly edit: string;
  readonly save: string;
  readonly saved: RegExp;
  readonly edited: RegExp;
  readonly handOver: string;
  readonly forNextShift: string;
  readonly send: string;
  readonly isHandedOver: string;
  readonly handedOver: RegExp;
  readonly read: string;
  readonly takeOver: string;
  readonly tookOver: RegExp;
}

const english: Words = {
  search: 'Search',
  signIn: 'Sign in',
  signOut: 'Sign out',
  user: 'User name',
  password: 'Password',
  account: (name) => `Account of ${name}`,
  newEntry: 'New entry',
  title: 'Title',
  text: 'Text in Markdown',
  logbooks: 'Logbooks',
  ready: 'ready',
  create: 'Create entry',
  created: /#\d+ created/,
  open: 'Open',
  edit: 'Edit',
  save: 'Save changes',
  saved: /#\d+ saved/,
  edited: /edited by user/,
  handOver: 'Hand-over',
  forNextShift: 'For the next shift',
  send: 'Hand over the shift',
  isHandedOver: 'Handed over',
  handedOver: /handed over by user/,
  read: 'Read',
  takeOver: 'I have taken over',
  tookOver: /took over/,
};

const german: Words = {
  search: 'Suche',
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  user: 'Benutzername',
  password: 'Passwort',
  account: (name) => `Konto von ${name}`,
  newEntry: 'Neuer Eintrag',
  title: 'Titel',
  text: 'Text in Markdown',
  logbooks: 'Logbücher',
  ready: 'bereit',
  create: 'Eintrag anlegen',
  created: /Nr\. \d+ angelegt/,
  open: 'Öffnen',
  edit: 'Bearbeiten',
  save: 'Änderungen speichern',
  saved: /Nr\. \d+ gespeichert/,
  edited: /geändert von user/,
  handOver: 'Übergabe',
  forNextShift: 'Für die nächste Schicht',
  send: 'Schicht übergeben',
  isHandedOver: 'Übergeben',
  handedOver: /übergeben von user/,
  read: 'Lesen',
  takeOver: 'Ich habe übernommen',
  tookOver: /übernommen/,
};

const device = 'SR:C05-PS{Sext:4}';

/** Finds everything by the words on the screen, as people and screen readers do. */
class Visitor {
  constructor(
    private readonly page: Page,
    private readonly words: Words,
  ) {}

  async findEntryOf2019(): Promise<void> {
    const { page, words } = this;
    const search = page.getByRole('combobox', { name: words.search, exact: true });
    await search.fill(device);
    await search.press('Enter');
    await page.getByRole('link', { name: /Sextupole supply exchanged/ }).click();
    await page.getByRole('heading', { name: /Sextupole supply exchanged/ }).waitFor();
    await page.getByText('The old one had a cracked capacitor.').last().waitFor();
    await page.getByText(/2019/).first().waitFor();
  }

  async signIn(name: string, password: string): Promise<void> {
    const { page, words } = this;
    await page.getByRole('link', { name: words.signIn, exact: true }).first().click();
    await page.getByLabel(words.user, { exact: true }).fill(name);
    await page.getByLabel(words.password, { exact: true }).fill(password);
    await page.getByRole('button', { name: words.signIn, exact: true }).click();
    await page.getByRole('button', { name: words.account(name) }).waitFor();
  }

  async signOut(name: string): Promise<void> {
    const { page, words } = this;
    await page.getByRole('button', { name: words.account(name) }).click();
    await page.getByRole('menuitem', { name: words.signOut }).click();
    await page.getByRole('link', { name: words.signIn, exact: true }).first().waitFor();
  }

  async writeWithImage(title: string): Promise<void> {
    const { page, words } = this;
    await page.getByRole('link', { name: words.newEntry }).click();
    await page.getByRole('textbox', { name: words.title, exact: true }).fill(title);
    await page.getByRole('textbox', { name: words.text }).click();
    await page.keyboard.type('Reset on site. The display says:');
    await pasteImage(page);
    await page.getByText(words.ready, { exact: true }).waitFor();
    const logbooks = page.getByRole('combobox', { name: words.logbooks });
    await logbooks.fill('Magn');
    await page.getByRole('option', { name: 'Magnets' }).click();
    await page.getByRole('button', { name: words.create }).click();
    await this.openSent(words.created, title);
    await page.getByText('Reset on site. The display says:').last().waitFor();
    await page.getByRole('img', { name: 'image-1' }).first().waitFor();
  }

  async correct(title: string): Promise<void> {
    const { page, words } = this;
    await page.getByRole('button', { name: words.edit, exact: true }).click();
    await page.getByRole('textbox', { name: words.text }).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Corrected: it was supply 5. ');
    await page.getByRole('button', { name: words.save }).click();
    await this.openSent(words.saved, title);
    await page
      .getByText(/Corrected: it was supply 5\. Reset on site/)
      .last()
      .waitFor();
    await page.getByText(words.edited).waitFor();
  }

  async handOver(text: string): Promise<void> {
    const { page, words } = this;
    await page.getByRole('link', { name: words.handOver }).click();
    const field = page.getByRole('textbox', { name: words.forNextShift });
    await field.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(text);
    await page.getByRole('button', { name: words.send }).click();
    await page.getByText(words.isHandedOver, { exact: true }).waitFor();
  }

  async takeOver(text: string): Promise<void> {
    const { page, words } = this;
    await page.getByText(words.handedOver).first().waitFor();
    await page.getByRole('link', { name: words.read, exact: true }).click();
    await page.getByText(text).first().waitFor();
    await page.getByRole('button', { name: words.takeOver }).first().click();
    await page.getByText(words.tookOver).first().waitFor();
  }

  private async openSent(said: RegExp, title: string): Promise<void> {
    const { page, words } = this;
    const message = page.getByRole('status').filter({ hasText: said });
    const open = message.getByRole('button', { name: words.open, exact: true });
    // The message stays as long as it has the focus; otherwise it may go before it is clicked.
    await open.focus();
    await open.press('Enter');
    await page.getByRole('heading', { name: title }).first().waitFor();
  }
}

// Tasks of someone who has never seen the client and knows only the words on the screen.
describe.skipIf(withoutBrowser)('a visitor', () => {
  const browser = useBrowser();
  const running: TestService[] = [];
  afterEach(async () => running.pop()?.stop());

  // Each language has its own service: a shift is handed over once.
  const start = async (): Promise<TestService> => {
    const logbook = await TestService.start({ shifts: shiftsAround() });
    running.push(logbook);
    await tellStory(logbook);
    await tell(logbook, Date.now() - Date.UTC(2019, 4, 14, 3, 12), {
      title: 'Sextupole supply exchanged',
      level: 'Problem',
      logbooks: ['Magnets'],
      text: `\`${device}\` did not hold its current. The old one had a cracked capacitor.`,
    });
    return logbook;
  };

  test.each([
    ['English', 'en-GB', english],
    ['German', 'de-DE', german],
  ] as const)(
    'finds, reads, signs in, writes, corrects, hands over and takes over, in %s',
    async (_, locale, words) => {
      const title = `Supply tripped (${locale})`;
      const message = `Watch supply 5 (${locale}).`;
      const logbook = await start();
      const client = await browser.open(logbook.origin, { as: null, locale });
      // No draft of the hand-over is on the server yet.
      client.expectConsole('/drafts/');
      const visitor = new Visitor(client.page, words);
      await visitor.findEntryOf2019();
      await visitor.signIn('user', 'userPass');
      await visitor.writeWithImage(title);
      await visitor.correct(title);
      await visitor.handOver(message);
      await visitor.signOut('user');
      await visitor.signIn('admin', 'adminPass');
      await client.page.goto(logbook.origin);
      await visitor.takeOver(message);
      await client.expectClean();
      await client.close();

      const { logs } = await logbook.search(`title=${encodeURIComponent(`"${title}"`)}`);
      expect(logs).toMatchObject([{ owner: 'user', logbooks: [{ name: 'Magnets' }], attachments: [{}] }]);
      expect(logs[0]?.source).toMatch(
        /^Corrected: it was supply 5\. Reset on site\. The display says:\n\n!\[image-1\]/,
      );
      for (const as of ['user:userPass', 'admin:adminPass']) {
        const left = async () =>
          (await logbook.get('/drafts', { as })).body.map(({ title }: { title: string }) => title);
        await expect.poll(left).toEqual([]);
      }
    },
  );
});
