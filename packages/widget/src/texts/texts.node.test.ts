import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { checkoutTexts, complete, registerTexts } from './checkout-texts.ts';
import type { TextOverrides } from './checkout-texts.ts';
import { first } from './first.ts';
import { scriptOf } from './language.ts';
import { languages } from './languages.ts';
import * as en from './locales/en.ts';
import { locked } from './locked.ts';
import { formatMoney } from './money.ts';
import { reword } from './texts.ts';
import type { Texts } from './texts.ts';

const tags = Object.keys(languages);
const { checkout: english, message, prequalify } = en;
/** The English texts of each element. */
const elements = { checkout: english, prequalify, message } as const;
const names = Object.keys(english) as (keyof Texts)[];
const loadTexts = (locale: string) => checkoutTexts.load(locale);
/** Loads all texts of an element after the shopper has acted: English is complete then. */
const whole = async (locale: string): Promise<Texts> => ({
  ...english,
  ...(await loadTexts(locale)),
});
const sentences = names.filter((name) => name !== 'lang' && name !== 'dir');
const placeholders = (text: string) => (text.match(/\{\w*\}?/g) ?? []).sort();

/** Matches letters of the scripts other than Latin. */
const scripts: Record<string, RegExp> = {
  Arab: /\p{Script=Arabic}/u,
  Hebr: /\p{Script=Hebrew}/u,
  Jpan: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  Hans: /\p{Script=Han}/u,
  Hant: /\p{Script=Han}/u,
};

it('lists each file of a language', () => {
  const files = globSync('*.ts', { cwd: new URL('locales/', import.meta.url) });
  expect(files.map((file) => file.replace('.ts', '')).sort()).toEqual(['en', ...tags].sort());
});

it('has the label of the message’s button in all languages', async () => {
  const others = tags.map(async (tag) => [tag, (await languages[tag]?.())?.learnMore] as const);
  const labels = [['en', en.learnMore] as const, ...(await Promise.all(others))];
  const lines = labels.map(([tag, label]) => {
    const name = /^\w+$/.test(tag) ? tag : `'${tag}'`;
    return `  ${name}: '${label}',\n`;
  });
  const file = new URL('message-first.ts', import.meta.url);
  const [before = '', between = ''] = readFileSync(file, 'utf8').split(/(?<= = \{\n)|(?=\};\n)/);
  if (process.env.UPDATE_DOCS) writeFileSync(file, `${before}${lines.join('')}};\n`);
  else expect(between).toBe(lines.join(''));
  expect(new Set(labels.map(([, label]) => label)).size).toBe(labels.length);
});

it('writes traditional Chinese without simplified characters', async () => {
  const parts = await import('./locales/zh-Hant.ts');
  const written = JSON.stringify(Object.values(parts));
  // Characters of the simplified texts that are written differently.
  expect(written).not.toMatch(/[请继续还贷机构动页关开载网设备应确认过时间缓购车变与单这种]/);
  expect(written).toContain('貸款機構');
});

describe.each(tags)('%s', (tag) => {
  it.each(Object.entries(elements))('has the same texts for %s as English', async (part, one) => {
    const loaded = Reflect.get((await languages[tag]?.()) ?? {}, part) as object;
    const texts = Object.entries(loaded) as [name: string, said: string][];
    expect(texts.map(([name]) => name).sort()).toEqual(Object.keys(one).sort());
    for (const [name, said] of texts) {
      if (name === 'lang' || name === 'dir') continue;
      const original = Reflect.get(one, name) as string;
      expect(said.trim(), name).toBe(said);
      expect(said, name).not.toBe('');
      // German and other languages use the same word or abbreviation.
      if (part !== 'message' || !/^(apr|total)$/.test(name)) expect(said, name).not.toBe(original);
      expect(placeholders(said), name).toEqual(placeholders(original));
      const script = scripts[scriptOf(tag) ?? ''];
      const bare = said.replaceAll(/\{\w+\}/g, '');
      if (script) {
        expect(bare, name).toMatch(script);
        if (part !== 'message') expect(bare, name).not.toMatch(/[a-z]/i);
      } else {
        expect(bare, name).not.toMatch(/\b(the|you|your|are|were|pay|please|this|again|not)\b/i);
        if (part !== 'message') expect(said, name).toMatch(/^[\p{Lu}{]/u);
      }
      // A sentence ends with a full stop; a title or a label does not.
      const ends = (text: string) => /[.。]$/.test(text);
      expect(ends(said), name).toBe(ends(original));
    }
  });

  it('has the right direction and language tag', async () => {
    const { lang, dir } = await loadTexts(tag);
    expect(new Intl.Locale(lang).language).toBe(new Intl.Locale(tag).language);
    expect(scriptOf(lang)).toBe(scriptOf(tag));
    expect(dir).toBe(/^(Arab|Hebr)$/.test(scriptOf(tag) ?? '') ? 'rtl' : 'ltr');
    expect(Intl.NumberFormat.supportedLocalesOf(lang)).toEqual([lang]);
  });
});

describe('a locale (RFC 4647 3.4)', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de-AT'],
    ['DE-at', 'de-AT'],
    ['de_CH', 'de-CH'],
    ['de-Latn-DE-1996', 'de-Latn-DE-1996'],
    ['pt-BR', 'pt-BR'],
    ['zh-Hans-CN', 'zh-Hans-CN'],
    ['zh_Hans_CN', 'zh-Hans-CN'],
    // Fonts must not render simplified characters like those of Taiwan.
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans-CN'],
    ['zh-SG', 'zh-Hans-SG'],
    ['zh-TW', 'zh-Hant-TW'],
    ['zh_TW', 'zh-Hant-TW'],
    ['zh-HK', 'zh-Hant-HK'],
    ['zh-MO', 'zh-Hant-MO'],
    ['zh-Hant', 'zh-Hant'],
    ['zh-Hant-HK', 'zh-Hant-HK'],
    ['zh-Hans-HK', 'zh-Hans-HK'],
    ['cmn-TW', 'zh-Hant-TW'],
    ['pt-PT', 'pt-PT'],
    ['ar-EG-u-nu-latn', 'ar-EG-u-nu-latn'],
    ['iw-IL', 'he-IL'],
    ['en-GB', 'en-GB'],
  ])('%s uses %s', async (locale, lang) => {
    const texts = await loadTexts(locale);
    expect(texts.lang).toBe(lang);
    const { language } = new Intl.Locale(lang);
    const tag = language === 'zh' ? `zh-${scriptOf(lang)}` : language;
    const spoken = language === 'en' ? english : (await languages[tag]?.())?.checkout;
    expect(texts.label).toBe(spoken?.label);
  });

  it.each([
    '',
    'tlh',
    'enm',
    'd',
    'dex',
    'x-de',
    '*',
    'de--AT',
    '-',
    '__proto__',
    'constructor',
    '../de',
    // In a different script than the texts of the language.
    'zh-Latn-pinyin',
    'ja-Latn',
    'ar-Latn',
    'en-Shaw',
    // Cantonese as its own language.
    'yue-HK',
  ])('"%s", which is unknown or not a tag, uses English', async (locale) => {
    expect(await loadTexts(locale)).toEqual(first);
    expect(await whole(locale)).toEqual(english);
  });

  it('formats amounts for its region', async () => {
    const written = async (locale: string) =>
      formatMoney({ value: 129_900, currency: 'EUR' }, (await loadTexts(locale)).lang);
    expect(await written('de-DE')).toBe('1.299,00\u00a0€');
    expect(await written('de-AT')).toBe('€\u00a01.299,00');
    expect(await written('en-IE')).toBe('€1,299.00');
    expect(await written('tlh')).toBe('€1,299.00');
  });

  it('keeps letters and the dollar sign together in right-to-left text', async () => {
    const { lang } = await loadTexts('ar');
    const written = formatMoney({ value: 129_900, currency: 'USD' }, lang);
    expect(written).toBe('\u200f1,299.00\u00a0US$\u200e');
    // A currency sign without letters is unchanged.
    expect(formatMoney({ value: 129_900, currency: 'USD' }, 'de')).toBe('1.299,00\u00a0$');
  });
});

describe('a language that a page adds', () => {
  it('loads on demand, and the longest matching tag takes precedence', async () => {
    const load = vi.fn(() => Promise.resolve({ ...english, lang: 'sv', label: 'Delbetala' }));
    registerTexts('sv', load);
    registerTexts('sv-FI', () => Promise.resolve({ ...english, lang: 'sv', label: 'Betala' }));
    expect(load).not.toHaveBeenCalled();
    expect((await loadTexts('sv-SE')).label).toBe('Delbetala');
    expect((await loadTexts('sv-FI-x-shop')).label).toBe('Betala');
  });

  it('takes the place of a built-in one', async () => {
    registerTexts('pl', () => Promise.resolve({ ...english, lang: 'pl', label: 'Na raty' }));
    expect(await loadTexts('pl')).toMatchObject({ lang: 'pl', label: 'Na raty' });
  });

  it('is used only if its script matches the page', async () => {
    registerTexts('sr-Latn', () => Promise.resolve({ ...english, lang: 'sr-Latn', label: 'Rate' }));
    expect(await loadTexts('sr-Latn-RS')).toMatchObject({ lang: 'sr-Latn-RS', label: 'Rate' });
    expect(await loadTexts('sh')).toMatchObject({ lang: 'sr-Latn', label: 'Rate' });
    // Montenegro uses Latin script, Serbia Cyrillic.
    expect(await loadTexts('sr-ME')).toMatchObject({ lang: 'sr-Latn-ME', label: 'Rate' });
    expect(await loadTexts('sr-RS')).toMatchObject({ lang: 'en', label: english.label });
    registerTexts('sr', () => Promise.resolve({ ...english, lang: 'sr', label: 'Рате' }));
    expect(await loadTexts('sr-Cyrl-RS')).toMatchObject({ lang: 'sr-Cyrl-RS', label: 'Рате' });
    expect(await loadTexts('sr-Latn')).toMatchObject({ label: 'Rate' });
  });

  it('of one region serves the other regions, labeled with its own tag', async () => {
    registerTexts('pt-BR', () => Promise.resolve({ ...english, lang: 'pt-BR', label: 'Parcelar' }));
    expect(await loadTexts('pt-BR')).toMatchObject({ lang: 'pt-BR', label: 'Parcelar' });
    expect(await loadTexts('pt-PT')).toMatchObject({ lang: 'pt-PT', label: 'Pagar em prestações' });
    registerTexts('zh-HK', () => Promise.resolve({ ...english, lang: 'zh-HK', label: '分期' }));
    expect(await loadTexts('zh-Hant-HK')).toMatchObject({ lang: 'zh-HK', label: '分期' });
    expect(await loadTexts('zh-TW')).toMatchObject({ lang: 'zh-Hant-TW', label: '分期付款' });
    registerTexts('ro-RO', () => Promise.resolve({ ...english, lang: 'ro-RO', label: 'Rate' }));
    expect(await loadTexts('ro-MD')).toMatchObject({ lang: 'ro-RO', label: 'Rate' });
  });

  it('in Bokmål serves Norwegian pages, and Nynorsk pages if there are no Nynorsk texts', async () => {
    registerTexts('nb', () => Promise.resolve({ ...english, lang: 'nb', label: 'Delbetal' }));
    expect(await loadTexts('no')).toMatchObject({ lang: 'nb', label: 'Delbetal' });
    expect(await loadTexts('nn-NO')).toMatchObject({ lang: 'nb', label: 'Delbetal' });
    registerTexts('nn', () => Promise.resolve({ ...english, lang: 'nn', label: 'Delbetaling' }));
    expect(await loadTexts('nn-NO')).toMatchObject({ lang: 'nn-NO', label: 'Delbetaling' });
    expect(await loadTexts('nb-NO')).toMatchObject({ lang: 'nb-NO', label: 'Delbetal' });
  });

  it('falls back to English when it does not load', async () => {
    registerTexts('fi', () => Promise.reject(new TypeError('Failed to fetch')));
    registerTexts('da', () => {
      throw new Error('a mistake of the page');
    });
    expect(await whole('fi')).toEqual(english);
    expect(await whole('da-DK')).toEqual(english);
  });

  it('falls back to English for texts that a later version added', async () => {
    const { failed, ...older } = english;
    const load = () => Promise.resolve({ ...older, lang: 'nb', label: 'Delbetal' });
    registerTexts('nb', load as () => Promise<Texts>);
    expect(await loadTexts('nb-NO')).toMatchObject({ lang: 'nb-NO', label: 'Delbetal', failed });
    const { dialog, ...oldest } = older;
    registerTexts('nn', (() => Promise.resolve({ ...oldest, lang: 'nn' })) as () => Promise<Texts>);
    expect(await loadTexts('nn')).toMatchObject({ lang: 'nn', dialog });
  });

  it('is complete, like a built-in one, and loads nothing more', async () => {
    const german = await loadTexts('de');
    expect(await complete(german)).toBe(german);
  });
});

describe('the shop’s own wording', () => {
  it('replaces the default texts', () => {
    expect(reword(english, { label: 'Pay in 12', cancelled: 'See you.' }, locked)).toEqual({
      ...english,
      label: 'Pay in 12',
      cancelled: 'See you.',
    });
  });

  it.each(locked)('%s cannot be changed by the shop', (name) => {
    const forged: object = { [name]: 'Pay again!' };
    expect(reword(english, forged, locked)).toEqual(english);
    expectTypeOf<typeof name>().not.toExtend<keyof TextOverrides>();
  });

  it('cannot replace any text that warns against another payment', () => {
    const warns = sentences.filter((name) =>
      /(not pay|stay on this page|lender|approved|financed).*\.$/i.test(english[name]),
    );
    expect(warns.length).toBeGreaterThan(3);
    expect(locked).toEqual(expect.arrayContaining(warns));
  });

  const none: (object | null | undefined)[] = [undefined, null, {}, { label: '' }];
  it.each([...none, { label: undefined }].map((one) => [one]))('with %o changes nothing', (one) =>
    expect(reword(english, one, locked)).toEqual(english),
  );
});
