import { oneEvent } from '@open-wc/testing';
import { describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { expectAccessible } from '../axe.fixture.ts';
import { until } from '../clock.fixture.ts';
import type { FinancingMessage } from './index.ts';
import { FakePublisher, part, programme, read } from './programmes.fixture.ts';
import { message as english } from '../texts/locales/en.ts';
import { languages } from '../texts/languages.ts';
import { loadMessageTexts } from '../texts/message-texts.ts';

const dialog = (element: FinancingMessage) => element.shadowRoot?.querySelector('dialog') ?? null;
const focused = (element: FinancingMessage) => element.shadowRoot?.activeElement;

const offers = [
  programme(),
  programme({
    id: 'programme-2',
    lender: { name: 'Second Lender' },
    apr: '9.99',
    payments: { count: 12, period: 'Month', rounding: 'up' },
    texts: [
      {
        id: 'text-2',
        language: 'en',
        text: 'From {payment} a month for {count} months at {apr} APR. Total {total}.',
        sha256: 'b'.repeat(64),
        disclosure: { text: 'First line.\nSecond <b>line</b>.' },
      },
    ],
  }),
];

async function opened(over: Record<string, string> = {}): Promise<FinancingMessage> {
  const element = await new FakePublisher(...offers).mount(over);
  await until(() => expect(part(element, 'learn-more')).not.toBeNull());
  part(element, 'learn-more')?.click();
  await until(() => expect(dialog(element)?.open).toBe(true));
  return element;
}

describe('the dialog', () => {
  it('is modal, lists all programmes in a table, and states an example', async () => {
    const element = await opened();
    expect(dialog(element)?.matches(':modal')).toBe(true);
    const rows = [...(element.shadowRoot?.querySelector('table')?.rows ?? [])].map((row) =>
      [...row.cells].map(({ textContent }) => textContent),
    );
    expect(rows).toEqual([
      ['Lender', 'Payment', 'Payments', 'APR', 'Interest', 'Total'],
      ['Example Lender', '$37.08 a month', '24', '0%', '$0.00', '$890.00'],
      ['Second Lender', '$78.25 a month', '12', '9.99%', '$48.90', '$938.90'],
    ]);
    const facts = [...(dialog(element)?.querySelectorAll('dt, dd') ?? [])];
    expect(facts.map(({ textContent }) => textContent).join(' ')).toContain(
      'Amount financed $890.00 Payments 24 Payment $37.08 a month Last payment $37.16',
    );
    const disclosures = [...(dialog(element)?.querySelectorAll('[part=disclosure]') ?? [])];
    expect(disclosures.map(({ textContent }) => textContent)).toEqual([
      'Terms apply',
      'First line.\nSecond <b>line</b>.',
    ]);
  });

  it('says what a lease costs in the words of a lease, in a table of its own', async () => {
    const lease = programme({
      id: 'lease',
      lender: { name: 'Lessor' },
      productType: 'LeaseToOwn',
      apr: undefined,
      leaseCost: '45',
      payments: { count: 18, period: 'Month', rounding: 'down' },
      texts: [
        {
          id: 'text-lease',
          language: 'en',
          text: '{count} times {payment}. Total {total}.',
          sha256: 'c'.repeat(64),
        },
      ],
    });
    const element = await new FakePublisher(lease, ...offers).mount({ amount: '89000' });
    await until(() => expect(part(element, 'learn-more')).not.toBeNull());
    await element.open();
    const tables = [...(element.shadowRoot?.querySelectorAll('table') ?? [])];
    const rows = tables.map((table) =>
      [...table.rows].map((row) => [...row.cells].map(({ textContent }) => textContent)),
    );
    expect(rows.map((all) => all.length)).toEqual([3, 2]);
    expect(rows[1]).toEqual([
      ['Lender', 'Payment', 'Payments', 'Cost of the lease', 'Total'],
      ['Lessor', '$71.69 a month', '18', '$400.50', '$1,290.50'],
    ]);
    const alone = await new FakePublisher(lease).mount({ amount: '89000' });
    await until(() => expect(part(alone, 'learn-more')).not.toBeNull());
    await alone.open();
    const facts = [...(dialog(alone)?.querySelectorAll('dt, dd') ?? [])];
    const example = facts.map(({ textContent }) => textContent).join(' ');
    expect(example).toContain('Cash price $890.00');
    expect(example).toContain('Cost of the lease $400.50 Total $1,290.50');
    expect(dialog(alone)?.querySelectorAll('table')).toHaveLength(1);
    expect(dialog(alone)?.innerText).not.toMatch(/APR|Interest/);
  });

  it('locks the page, closes by Escape, and returns the focus to the button', async () => {
    const element = await opened();
    await until(() => expect(focused(element)).toBe(part(element, 'title')));
    // The element learns of Escape by the event, which follows with a later frame.
    const closed = oneEvent(dialog(element) ?? document, 'close');
    await userEvent.keyboard('{Escape}');
    await closed;
    expect(dialog(element)?.open).toBe(false);
    expect(focused(element)).toBe(part(element, 'learn-more'));
    part(element, 'learn-more')?.click();
    await until(() => expect(dialog(element)?.open).toBe(true));
    part(element, 'close')?.click();
    await until(() => expect(dialog(element)?.open).toBe(false));
  });

  it('does not change the message in the page', async () => {
    const element = await new FakePublisher(...offers).mount();
    await until(() => expect(read(element)).toContain('$37.08'));
    const message = part(element, 'message');
    if (!message) throw new Error('There is no message.');
    const measure = () => [message.getBoundingClientRect().toJSON() as object, message.innerText];
    const before = measure();
    await element.open();
    expect(measure()).toEqual(before);
  });

  it('follows the amount, and closes with the element or when no programme fits', async () => {
    const element = await opened();
    element.amount = 120_000;
    await until(() => expect(part(element, 'amount')?.textContent).toBe('$1,200.00'));
    element.amount = 1;
    await until(() => expect(dialog(element)).toBeNull());
    element.amount = 120_000;
    await until(() => expect(dialog(element)?.open).toBe(false));
    const again = await opened();
    again.remove();
    expect(dialog(again)?.open ?? false).toBe(false);
  });

  it.each(['en', 'de', 'ar'])('is accessible in %s, as is the message', async (locale) => {
    const element = await opened({ locale, 'qualify-href': '/qualify' });
    await Promise.allSettled(
      (element.shadowRoot?.getAnimations() ?? []).map(({ finished }) => finished),
    );
    await expectAccessible(element);
    expect(element.shadowRoot?.querySelectorAll('[style]')).toHaveLength(0);
    element.close();
    await element.updateComplete;
    await expectAccessible(element);
  });
});

describe('"See if you qualify"', () => {
  const present = (id = '') => {
    const start = vi.fn();
    const starter = Object.assign(document.createElement('financing-prequalify'), { id, start });
    document.body.append(starter);
    return start;
  };

  it('is absent if the page has nothing to start or link to', async () => {
    expect(part(await opened(), 'qualify')).toBeNull();
    expect(part(await opened({ 'qualify-href': 'javascript:alert(1)' }), 'qualify')).toBeNull();
  });

  it('starts the element of the page after the dialog has closed, unless a listener prevents it', async () => {
    const first = present('one');
    const second = present('two');
    const element = await opened({ prequalify: 'two' });
    second.mockImplementation(() => expect(dialog(element)?.open).toBe(false));
    const asked: unknown[] = [];
    element.addEventListener('financing-qualify', (event) => {
      asked.push([event.amount, event.currency, event.bubbles, event.composed]);
      if (asked.length > 1) event.preventDefault();
    });
    part(element, 'qualify')?.click();
    expect(second).toHaveBeenCalledOnce();
    await element.open();
    part(element, 'qualify')?.click();
    expect([asked.length, second.mock.calls.length, first.mock.calls.length]).toEqual([2, 1, 0]);
    expect(asked[0]).toEqual([89_000, 'USD', true, true]);
    const other = await opened();
    part(other, 'qualify')?.click();
    expect(first).toHaveBeenCalledOnce();
  });

  it('is a link to a page of the shop, with its own label', async () => {
    const element = await opened({ 'qualify-href': '#qualify' });
    element.innerHTML = '<b slot="qualify">Check my budget</b>';
    const link = element.shadowRoot?.querySelector<HTMLAnchorElement>('a[part=qualify]');
    expect(link?.href).toBe(new URL('#qualify', document.baseURI).href);
    element.addEventListener('financing-qualify', (event) => event.preventDefault());
    const left = vi.fn();
    addEventListener('hashchange', left);
    link?.click();
    await until(() => expect(dialog(element)?.open).toBe(false));
    removeEventListener('hashchange', left);
    expect(left).not.toHaveBeenCalled();
  });
});

describe('the texts of the dialog', () => {
  it('are in English if the language is not supported', async () => {
    expect(await loadMessageTexts('fi')).toEqual({ lang: 'en', texts: english });
  });

  it.each([
    ['zh-TW', '貸款機構', 'zh-Hant-TW'],
    ['zh-HK', '貸款機構', 'zh-Hant-HK'],
    ['zh-CN', '贷款机构', 'zh-Hans-CN'],
    ['sr', 'Lender', 'en'],
  ])('for %s are "%s", labeled %s', async (locale, plan, lang) => {
    const element = await opened({ locale });
    const head = element.shadowRoot?.querySelector('th');
    expect(head?.textContent).toBe(plan);
    expect(head?.closest<HTMLElement>('[lang]')?.lang).toBe(lang);
  });

  it('are labeled as English if the language file does not load', async () => {
    const failing = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')));
    vi.spyOn(languages, 'de').mockImplementation(failing);
    const element = await opened({ locale: 'de' });
    element.amount = 120_000;
    await element.updateComplete;
    const head = element.shadowRoot?.querySelector('th');
    expect(head?.textContent).toBe('Lender');
    expect(head?.closest<HTMLElement>('[lang]')?.lang).toBe('en');
    expect(failing).toHaveBeenCalledOnce();
  });
});
