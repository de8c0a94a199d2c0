import { describe, expect, expectTypeOf, it } from 'vitest';
import { english as checkoutEnglish } from '../../texts/en.ts';
import { languages as checkoutLanguages } from '../../texts/languages.ts';
import { registerTexts, reword } from '../../texts/texts.ts';
import { english } from './en.ts';
import { languages } from './languages.ts';
import { locked, prequalifyTexts, registerPrequalifyTexts } from './texts.ts';
import type { OwnTexts, PrequalifyTextOverrides } from './texts.ts';

const tags = Object.keys(languages);
const names = Object.keys(english) as (keyof OwnTexts)[];
const placeholders = (text: string) => text.match(/\{\w*\}?/g) ?? [];
const whole = async (locale: string) =>
  prequalifyTexts.complete(await prequalifyTexts.load(locale));

it('has the languages of the checkout', () => {
  expect(tags.sort()).toEqual(Object.keys(checkoutLanguages).sort());
});

describe.each(tags)('%s', (tag) => {
  it.each(names)('%s is translated completely, with the same placeholders', async (name) => {
    const own = (await languages[tag]?.())?.texts;
    expect(Object.keys(own ?? {}).sort()).toEqual([...names].sort());
    const said = own?.[name] ?? '';
    expect(said.trim()).toBe(said);
    expect(said).not.toBe('');
    expect(said).not.toBe(english[name]);
    expect(placeholders(said)).toEqual(placeholders(english[name]));
    const bare = said.replaceAll(/\{\w+\}/g, '');
    const isLatin = !['ar', 'he', 'ja', 'zh-Hans', 'zh-Hant'].includes(tag);
    if (isLatin) {
      expect(bare).not.toMatch(/\b(the|you|your|are|were|pay|please|this|again|not)\b/i);
      expect(said).toMatch(/^[\p{Lu}{]/u);
    } else {
      expect(bare).not.toMatch(/[a-z]/i);
    }
    const ends = (text: string) => /[.。]$/.test(text);
    expect(ends(said)).toBe(ends(english[name]));
  });

  it('has no word of another order or charge', async () => {
    const texts = await prequalifyTexts.load(tag);
    const checkout = (await checkoutLanguages[tag]?.())?.texts;
    for (const name of [
      'label',
      'pending',
      'declined',
      'cancelled',
      'expired',
      'failed',
    ] as const) {
      expect(texts[name]).not.toBe(checkout?.[name]);
    }
    expect(texts.lang).toBe(checkout?.lang);
  });
});

it.each([
  ['zh-TW', '查看您是否符合資格', 'zh-Hant-TW'],
  ['zh-Hant', '查看您是否符合資格', 'zh-Hant'],
  ['zh-HK', '查看您是否符合資格', 'zh-Hant-HK'],
  ['zh-MO', '查看您是否符合資格', 'zh-Hant-MO'],
  ['zh-CN', '查看您是否符合条件', 'zh-Hans-CN'],
  ['zh-Latn', 'See if you qualify', 'en'],
])('for %s is "%s", in %s', async (locale, label, lang) => {
  expect(await whole(locale)).toMatchObject({ label, lang });
});

describe('English', () => {
  it('loads the rest when the shopper acts', async () => {
    const before = await prequalifyTexts.load('en-GB');
    expect(before).toMatchObject({ lang: 'en-GB', label: 'See if you qualify' });
    expect(before).not.toHaveProperty('prequalified');
    expect(await whole('en-GB')).toMatchObject({ ...english, lang: 'en-GB', close: 'Close' });
  });

  it('replaces a language of which only one half is there, and says so', async () => {
    registerPrequalifyTexts('sv', () => Promise.reject(new TypeError('Failed to fetch')));
    registerTexts('sv', () => Promise.resolve({ ...checkoutEnglish, lang: 'sv', close: 'Stäng' }));
    expect(await whole('sv-SE')).toMatchObject({ ...english, lang: 'en', close: 'Close' });
    registerPrequalifyTexts('fi', () => Promise.resolve({ ...english, label: 'Tarkista' }));
    expect(await whole('fi')).toMatchObject({ ...english, lang: 'en' });
    registerTexts('fi', () => Promise.resolve({ ...checkoutEnglish, lang: 'fi', close: 'Sulje' }));
    expect(await whole('fi')).toMatchObject({ label: 'Tarkista', lang: 'fi', close: 'Sulje' });
  });
});

describe('the shop’s own wording', () => {
  it('replaces the label, and no word of a lender’s decision', async () => {
    const texts = await whole('en');
    const forged = Object.fromEntries(locked.map((name) => [name, 'Approved!']));
    expect(reword(texts, { ...forged, label: 'Do I qualify?' }, locked)).toEqual({
      ...texts,
      label: 'Do I qualify?',
    });
    expectTypeOf<'prequalified'>().not.toExtend<keyof PrequalifyTextOverrides>();
  });
});
