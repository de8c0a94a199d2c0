import { describe, expect, expectTypeOf, it } from 'vitest';
import { registerTexts } from './checkout-texts.ts';
import { languages } from './languages.ts';
import { checkout as checkoutEnglish, prequalify } from './locales/en.ts';
import { prequalifyLocked as locked } from './locked.ts';
import { prequalifyTexts, registerPrequalifyTexts } from './prequalify-texts.ts';
import type { PrequalifyTextOverrides } from './prequalify-texts.ts';
import { reword } from './texts.ts';

const english = { ...prequalify, dialog: prequalify.label };
const whole = async (locale: string) =>
  prequalifyTexts.complete(await prequalifyTexts.load(locale));

it.each(Object.keys(languages))('does not mention an order or a charge in %s', async (tag) => {
  const texts = await prequalifyTexts.load(tag);
  const checkout = (await languages[tag]?.())?.checkout;
  for (const name of ['label', 'pending', 'declined', 'cancelled', 'expired', 'failed'] as const) {
    expect(texts[name]).not.toBe(checkout?.[name]);
  }
  expect(texts.lang).toBe(checkout?.lang);
  expect(texts.dialog).toBe(texts.label);
});

it.each([
  ['zh-TW', '查看您是否符合資格', 'zh-Hant-TW'],
  ['zh-Hant', '查看您是否符合資格', 'zh-Hant'],
  ['zh-HK', '查看您是否符合資格', 'zh-Hant-HK'],
  ['zh-MO', '查看您是否符合資格', 'zh-Hant-MO'],
  ['zh-CN', '查看您是否符合条件', 'zh-Hans-CN'],
  ['zh-Latn', 'See if you qualify', 'en'],
])('the label for %s is "%s", in %s', async (locale, label, lang) => {
  expect(await whole(locale)).toMatchObject({ label, lang });
});

describe('English', () => {
  it('loads the rest when the shopper acts', async () => {
    const before = await prequalifyTexts.load('en-GB');
    expect(before).toMatchObject({ lang: 'en-GB', label: 'See if you qualify' });
    expect(before).not.toHaveProperty('prequalified');
    expect(await whole('en-GB')).toMatchObject({ ...english, lang: 'en-GB', close: 'Close' });
  });

  it('replaces a language of which only half the texts exist, and labels them as English', async () => {
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
  it('replaces the label, but not the texts of a lender’s decision', async () => {
    const texts = await whole('en');
    const forged = Object.fromEntries(locked.map((name) => [name, 'Approved!']));
    expect(reword(texts, { ...forged, label: 'Do I qualify?' }, locked)).toEqual({
      ...texts,
      label: 'Do I qualify?',
    });
    expectTypeOf<'prequalified'>().not.toExtend<keyof PrequalifyTextOverrides>();
  });
});
