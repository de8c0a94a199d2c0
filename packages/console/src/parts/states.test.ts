import { LitElement, html, render } from 'lit';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/client.ts';
import { setLanguage } from '../locale/locale.ts';
import { Loader } from './loader.ts';
import { loadedView, problemView, sentenceOf } from './states.ts';

/** A page whose task is settled by the test. */
class LoadedPage extends LitElement {
  static override properties = { name: {} };
  declare name: string;
  /** Settles the task in progress. */
  answer: (text: string | Error) => void = () => undefined;
  readonly task = new Loader(this, {
    args: () => [this.name] as const,
    task: () =>
      new Promise<{ text: string }>((resolve, reject) => {
        this.answer = (text) => (text instanceof Error ? reject(text) : resolve({ text }));
      }),
  });

  constructor() {
    super();
    this.name = 'first';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render() {
    return html`${loadedView(this.task, ({ text }) => html`<input aria-label=${text} />`)}`;
  }
}
customElements.define('test-loaded-page', LoadedPage);

describe('loaded content', () => {
  const alert = () => document.querySelector('[role=alert]');
  const loading = () => document.querySelector('[role=status]');
  const shown = () => document.querySelector('input')?.ariaLabel;

  async function loaded(): Promise<LoadedPage> {
    const page = new LoadedPage();
    document.body.append(page);
    await expect.poll(loading).not.toBeNull();
    page.answer('one');
    await expect.poll(shown).toBe('one');
    return page;
  }

  it('stays, with its focus, during a reload and after a failed reload', async () => {
    const page = await loaded();
    document.querySelector('input')?.focus();
    const again = page.task.run();
    page.answer(new ApiError(0, 'offline'));
    await again;
    await expect.poll(alert).not.toBeNull();
    expect(alert()?.textContent).toContain('The server cannot be reached.');
    expect([shown(), document.activeElement?.ariaLabel]).toEqual(['one', 'one']);

    alert()?.querySelector('wa-button')?.click();
    page.answer('two');
    await expect.poll(shown).toBe('two');
    expect(alert()).toBeNull();
  });

  it('disappears when other content fails to load', async () => {
    const page = await loaded();
    page.name = 'second';
    await page.updateComplete;
    expect(shown()).toBe('one');
    page.answer(new ApiError(503, 'not-ready'));
    await expect.poll(alert).not.toBeNull();
    expect(shown()).toBeUndefined();

    const again = page.task.run();
    page.answer(new ApiError(503, 'not-ready'));
    await again;
    await page.updateComplete;
    expect(shown()).toBeUndefined();
  });
});

describe('a refusal', () => {
  const refused = new ApiError(422, 'amount-exceeds-charge', { detail: 'At most 12.00 USD.' });

  function textOf(error: unknown): { text: string | undefined; english: string | undefined } {
    const place = document.createElement('p');
    render(problemView(error), place);
    const text = place.textContent.replaceAll(/\s+/g, ' ').trim();
    return { text, english: place.querySelector('[lang=en]')?.textContent };
  }

  it('shows the API’s message in English', () => {
    expect(textOf(refused)).toEqual({ text: 'At most 12.00 USD.', english: undefined });
  });

  it('shows the sentence for its code in another language, before the English message', async () => {
    await setLanguage('de');
    const sentence = 'Der Betrag ist höher als der Rest der Belastung.';
    expect(sentenceOf(refused)).toBe(sentence);
    expect(textOf(refused)).toEqual({
      text: `${sentence} At most 12.00 USD.`,
      english: 'At most 12.00 USD.',
    });
  });

  it('words a refusal by its parameters: all in another language, a changed case in English, too', async () => {
    await setLanguage('de');
    const of = (code: string, parameters: Record<string, string>) =>
      textOf(new ApiError(409, code, { detail: 'The case was resolved.', parameters }));
    expect(of('case-not-permitted', { state: 'resolved', action: 'ignored' })).toEqual({
      text: 'Der Fall ist gelöst: Öffnen Sie ihn wieder, bevor Sie anders entscheiden.',
      english: undefined,
    });
    const change = { by: 'ben', kind: 'ignored', at: '2026-03-01T12:00:00.000Z' };
    expect(of('case-changed', change).text).toMatch(
      /^ben hat den Fall ignoriert \(0?1\.0?3\.2026, .*\)\. Es wurde nichts getan: Sehen Sie sich den Fall an, und entscheiden Sie neu\.$/,
    );
    await setLanguage('en');
    expect(of('case-changed', change).text).toMatch(
      /^ben ignored the case, Mar 1, 2026, .*\. Nothing was done: look at the case, then decide again\.$/,
    );
    await setLanguage('de');
    // A server of an earlier version states no parameters.
    expect(of('case-not-permitted', {}).text).toContain('Der Status des Falls lässt das nicht zu.');
  });

  it.each([
    [new ApiError(503, 'store-unavailable', { detail: 'internal text' }), 'record store'],
    [new ApiError(0, 'offline'), 'cannot be reached'],
    [new ApiError(502, 'http-502'), 'The server has a problem.'],
    [new Error('secret'), 'The server has a problem.'],
  ])('%s has a sentence', (error, text) => {
    expect(textOf(error).text).toContain(text);
  });

  it('says that the user is offline if the browser has no network', () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    expect(textOf(new ApiError(0, 'offline')).text).toContain('You are offline.');
  });
});
