/*
 * Covers complaints about other financing messages, and the disclosures that the law requires next
 * to a payment.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../clock.fixture.ts';
import { FakePublisher, part, programme, read, saying } from './programmes.fixture.ts';
import type { FinancingMessage } from './index.ts';

const FULL = 'From $37.08 a month for 24 months at 0% APR. Total $890.00.';
const lines = (element: FinancingMessage) => {
  const message = part(element, 'message');
  if (!message) return 0;
  return Math.round(
    message.getBoundingClientRect().height / parseFloat(getComputedStyle(message).lineHeight),
  );
};

/** Everything in the console except debug messages. */
const noise: unknown[] = [];
beforeEach(() => {
  noise.length = 0;
  document.body.style.lineHeight = '24px';
  for (const name of ['error', 'warn', 'info', 'log'] as const) {
    vi.spyOn(console, name).mockImplementation((...said: unknown[]) => void noise.push(said));
  }
});

describe('the text', () => {
  it('is the lender’s, with the figures for the amount and the disclosure next to it', async () => {
    const element = await new FakePublisher(programme()).mount();
    await until(() => expect(part(element, 'text')?.textContent).toBe(FULL));
    expect(read(element)).toBe(`${FULL} (23 × $37.08 + $37.16) Terms apply Learn more`);
    const link = element.shadowRoot?.querySelector<HTMLAnchorElement>('a[part=disclosure]');
    expect([link?.href, link?.rel]).toEqual(['https://lender.example/terms', 'noopener']);
  });

  it('may mention a different last payment itself, in which case the element does not', async () => {
    const words = '{payment}, last {lastPayment}, {count}, {apr}, {interest}, {total} of {amount}';
    const element = await new FakePublisher(saying(words, { apr: '9.90' })).mount();
    await until(() =>
      expect(part(element, 'text')?.textContent).toBe(
        '$41.03, last $40.98, 24, 9.90%, $94.67, $984.67 of $890.00',
      ),
    );
    expect(part(element, 'last-payment')?.hidden).toBe(true);
  });

  it('is for the lowest payment per month, then the lowest APR, then the first in the file', async () => {
    const publisher = new FakePublisher(
      saying('weekly', { id: 'a', payments: { count: 52, period: 'Week', rounding: 'up' } }),
      saying('monthly', { id: 'b', payments: { count: 24, period: 'Month', rounding: 'up' } }),
      saying('short', { id: 'c', payments: { count: 3, period: 'Month', rounding: 'up' } }),
      saying('the same, later', {
        id: 'd',
        payments: { count: 24, period: 'Month', rounding: 'up' },
      }),
    );
    const element = await publisher.mount();
    await until(() => expect(part(element, 'text')?.textContent).toBe('monthly'));
  });

  it('states a rate with at most two decimals, and computes with all of them', async () => {
    const words = '{apr}, {interest}';
    const element = await new FakePublisher(saying(words, { apr: '50.9052' })).mount();
    await until(() => expect(part(element, 'text')?.textContent).toBe('50.91%, $545.80'));
  });

  it.each([
    ['fr-CA', 'québécois'],
    ['fr-FR', 'français'],
    ['de-AT', 'Deutsch'],
    ['pt', 'brasileiro'],
    ['ja', 'Deutsch'],
    ['not a tag', 'Deutsch'],
  ])('for %s is "%s"', async (locale, words) => {
    const texts = { de: 'Deutsch', fr: 'français', 'fr-CA': 'québécois', 'pt-BR': 'brasileiro' };
    const element = await new FakePublisher(saying(texts)).mount({ locale });
    await until(() => expect(part(element, 'text')?.textContent).toBe(words));
  });

  it('formats figures in its own language and direction', async () => {
    const publisher = new FakePublisher(
      saying({ de: '{payment}, {apr}', ar: '{count}' }, { apr: '9.9' }),
    );
    const german = await publisher.mount({ locale: 'de-AT' });
    await until(() => expect(part(german, 'text')?.textContent).toBe('$\u00a041,03, 9,9\u00a0%'));
    expect(part(german, 'text')?.lang).toBe('de-AT');
    const arabic = await publisher.mount({ locale: 'ar' });
    await until(() => expect(part(arabic, 'text')?.dir).toBe('rtl'));
    expect(part(arabic, 'learn-more')?.textContent).toBe('معرفة المزيد');
  });

  it.each([
    ['zh-TW', 'zh-Hant-TW', '繁體', '了解更多', 'zh-Hant-TW'],
    ['zh-Hant', 'zh-Hant', '繁體', '了解更多', 'zh-Hant'],
    ['zh-HK', 'zh-Hant-HK', '繁體', '了解更多', 'zh-Hant-HK'],
    ['zh-MO', 'zh-Hant-MO', '繁體', '了解更多', 'zh-Hant-MO'],
    ['zh-CN', 'zh-CN', '简体', '了解详情', 'zh-Hans-CN'],
    ['zh', 'zh', '简体', '了解详情', 'zh-Hans'],
    ['zh-Latn-pinyin', 'en', 'English', 'Learn more', 'en'],
    ['sr-Latn-RS', 'sr-Latn-RS', 'latinica', 'Learn more', 'en'],
    ['sr-Cyrl', 'sr-Cyrl', 'ћирилица', 'Learn more', 'en'],
    ['nn', 'nb', 'bokmål', 'Learn more', 'en'],
    ['no', 'nb', 'bokmål', 'Learn more', 'en'],
    ['ar-Latn', 'en', 'English', 'Learn more', 'en'],
    ['en-GB', 'en-GB', 'English', 'Learn more', 'en-GB'],
  ])(
    'for %s is in %s, and the element’s own is labeled',
    async (locale, lang, words, own, ownLang) => {
      const texts = {
        en: 'English',
        zh: '简体',
        'zh-Hant': '繁體',
        sr: 'ћирилица',
        'sr-Latn': 'latinica',
        nb: 'bokmål',
      };
      const element = await new FakePublisher(saying(texts)).mount({ locale });
      await until(() => expect(part(element, 'text')?.textContent).toBe(words));
      expect(part(element, 'text')?.lang).toBe(lang);
      expect(part(element, 'learn-more')?.textContent).toBe(own);
      expect(part(element, 'message')?.lang).toBe(ownLang);
    },
  );

  it('in only one script is not labeled with another script', async () => {
    const element = await new FakePublisher(saying({ 'zh-Hans': '简体' })).mount({
      locale: 'zh-TW',
    });
    await until(() => expect(part(element, 'text')?.textContent).toBe('简体'));
    expect(part(element, 'text')?.lang).toBe('zh-Hans');
  });

  it('follows the language of the page', async () => {
    const element = await new FakePublisher(saying({ en: 'English', fr: 'français' })).mount();
    await until(() => expect(part(element, 'text')?.textContent).toBe('English'));
    element.parentElement?.setAttribute('lang', 'fr');
    await until(() => expect(part(element, 'text')?.textContent).toBe('français'));
    expect(part(element, 'learn-more')?.textContent).toBe('En savoir plus');
  });

  it('is always shown as plain text', async () => {
    const words =
      '<img src=x onerror=alert(1)> {payment} ${html} &amp; {unknown} {apr}{count}{total}';
    const publisher = new FakePublisher(saying(words, { lender: { name: '<b>Lender</b>' } }));
    const element = await publisher.mount({ locale: '"><script>' });
    await until(() => expect(part(element, 'text')?.textContent).toContain('<img src=x'));
    expect(part(element, 'text')?.textContent).toContain('{unknown}');
    expect(element.shadowRoot?.querySelector('img, script, b')).toBeNull();
  });

  it('links only to https URLs, even if the companion violates the contract', async () => {
    const publisher = new FakePublisher();
    const [text] = programme().texts;
    const bad = { ...text, disclosure: { url: 'javascript:alert(1)', label: 'Terms' } };
    publisher.answer(() => Response.json({ programmes: [{ ...programme(), texts: [bad] }] }));
    const element = await publisher.mount();
    await until(() => expect(read(element)).toContain('Terms'));
    expect(part(element, 'disclosure')?.hasAttribute('href')).toBe(false);
  });

  it('cannot be altered by content, slots or properties of the page', async () => {
    const element = await new FakePublisher(programme()).mount();
    element.innerHTML = '<b slot="text">Free!</b><b>Free!</b><b slot="learn-more">Free!</b>';
    Object.assign(element, { texts: { text: 'Free!' }, innerText: 'Free!' });
    await until(() => expect(read(element)).toContain(FULL));
    expect(read(element)).not.toContain('Free!');
    expect(part(element, 'text')?.getAttribute('translate')).toBe('no');
    expect(element.shadowRoot?.querySelectorAll('slot')).toHaveLength(0);
  });
});

describe('an amount', () => {
  it.each([
    '',
    'NaN',
    'null',
    'undefined',
    '-89000',
    '890.00',
    '8,90',
    '1e4',
    '0',
    '4999',
    '500001',
    'Infinity',
  ])('"%s" shows nothing and takes no space once programmes are known', async (amount) => {
    const publisher = new FakePublisher(programme());
    publisher.remember(programme());
    const element = await publisher.mount({ amount });
    expect(read(element)).toBe('');
    expect(element.getBoundingClientRect().height).toBe(0);
    expect(noise).toEqual([]);
  });

  it.each([NaN, -1, 890.5, null, undefined, {}, [], true, 89_000n])(
    '%s as a property throws nothing',
    async (amount) => {
      const publisher = new FakePublisher(programme());
      publisher.remember(programme());
      const element = await publisher.mount();
      Object.assign(element, { amount });
      await element.updateComplete;
      expect(read(element).includes(FULL)).toBe(typeof amount === 'bigint');
      expect(part(element, 'text') === null).toBe(typeof amount !== 'bigint');
      expect(noise).toEqual([]);
    },
  );

  it('that changes from net to gross, or with a variant, is rendered at once, without a request', async () => {
    const publisher = new FakePublisher(programme());
    const element = await publisher.mount({ amount: '89000' });
    await until(() => expect(read(element)).toContain('$37.08'));
    const before = element.getBoundingClientRect().height;
    element.setAttribute('amount', '105910');
    await element.updateComplete;
    expect(read(element)).toContain('$44.13');
    element.amount = 0;
    await element.updateComplete;
    expect(read(element)).toBe('');
    expect(element.getBoundingClientRect().height).toBe(before);
    element.amount = 120_000;
    await element.updateComplete;
    expect(read(element)).toContain('$50.00');
    expect(publisher.requests).toHaveLength(1);
  });

  it('that is missing keeps the space of the message, because it may still be set', async () => {
    const publisher = new FakePublisher(programme());
    publisher.remember(programme());
    const element = await publisher.mount({ amount: undefined });
    expect(lines(element)).toBeGreaterThan(0);
    element.amount = 89_000;
    await element.updateComplete;
    expect(read(element)).toContain('$37.08');
  });
});

describe('a programme', () => {
  it.each([
    ['another currency', programme({ currency: 'EUR' })],
    ['another category', programme({ categories: ['sofas'] })],
    ['the future', programme({ validFrom: '2999-01-01T00:00:00Z' })],
    ['the past', programme({ validUntil: '2001-01-01T00:00:00+02:00' })],
    ['higher amounts', programme({ amount: { min: 89_001, max: 90_000 } })],
  ])('for %s is not shown', async (_, other) => {
    const publisher = new FakePublisher(other);
    publisher.remember(other);
    expect(read(await publisher.mount({ category: 'chairs' }))).toBe('');
  });

  it('for this category, these dates and exactly this amount is shown', async () => {
    const fits = programme({
      categories: ['sofas', 'chairs'],
      validFrom: '2001-01-01T00:00:00Z',
      validUntil: '2999-01-01T00:00:00Z',
      amount: { min: 89_000, max: 89_000 },
    });
    const element = await new FakePublisher(fits).mount({ category: 'chairs' });
    await until(() => expect(read(element)).toContain('$37.08'));
  });
});
