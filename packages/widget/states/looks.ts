/** The axes of the page with all states. */
export const themes = ['none', 'calm', 'contrast', 'soft'] as const;
export const schemes = ['light', 'dark'] as const;
export const widths = [320, 768, 1280] as const;

/** A message with its dialog closed or open. */
export const messageStates = ['message-closed', 'message-open'] as const;

/** Returns the URL of the page that shows a state of a message or of another element. */
export function addressOf(state: string, look: Readonly<Record<string, string>>): string {
  const [, ofMessage] = /^message-(.+)$/.exec(state) ?? [];
  const query = new URLSearchParams({ state: ofMessage ?? state, ...look });
  return `${ofMessage === undefined ? 'cell' : 'message'}.html?${query.toString()}`;
}

/** The languages, each with the text of the shop's own link to another way to pay. */
export const languages: Readonly<Record<string, string>> = {
  en: 'Pay by card',
  es: 'Pagar con tarjeta',
  fr: 'Payer par carte',
  de: 'Mit Karte bezahlen',
  pt: 'Pagar com cartão',
  it: 'Paga con carta',
  nl: 'Betalen met kaart',
  pl: 'Zapłać kartą',
  ja: 'カードで支払う',
  'zh-Hans': '银行卡付款',
  'zh-Hant': '信用卡付款',
  ar: 'الدفع بالبطاقة',
  he: 'תשלום בכרטיס',
};
