import { orderTicket, scenarios } from '@financing-checkout/widget/development';

/** Initial values with which an element shows something immediately. */
export const defaults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'financing-message': {
    amount: '89000',
    currency: 'USD',
    // The build puts the example shop's programmes next to this page.
    companion: new URL('.', location.href).href.replace(/\/$/, ''),
  },
  'financing-prequalify': {
    'public-key': 'public-key',
    environment: 'sandbox',
    companion: 'https://companion.example',
    currency: 'USD',
    scenario: 'prequalified',
  },
  'financing-checkout': {
    'public-key': 'public-key',
    environment: 'sandbox',
    companion: 'https://companion.example',
    order: orderTicket(),
    scenario: 'approved',
  },
};

const environments = ['sandbox', 'uat', 'production'];

/** Attributes whose values can be chosen from a list, by element. Other attributes are free text. */
export const choices: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'financing-message': { currency: ['USD', 'CAD', 'EUR'], source: ['', 'service'] },
  'financing-prequalify': {
    environment: environments,
    scenario: ['prequalified', 'pending', 'declined', 'not-found'],
  },
  'financing-checkout': {
    environment: environments,
    scenario: Object.keys(scenarios),
    presentation: ['', 'auto', 'sdk', 'embedded', 'popup', 'redirect'],
  },
};

/** The widget's languages by tag, each with its own name. */
export const languages: Readonly<Record<string, string>> = Object.fromEntries(
  String(import.meta.env.LANGUAGES)
    .split(' ')
    .map((tag) => {
      const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag;
      return [tag, name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)];
    }),
);

/** Returns the direction of a language's script. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  const { script } = new Intl.Locale(tag).maximize();
  return script === 'Arab' || script === 'Hebr' ? 'rtl' : 'ltr';
}
export const themes = ['none', 'calm', 'contrast', 'soft'] as const;
export const schemes = ['light dark', 'light', 'dark'] as const;
export const widths = ['100%', '320px', '480px', '768px'] as const;
