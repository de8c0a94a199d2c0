/**
 * The label of the message's button by language; the first one is the fallback. All languages are
 * in one file because a cached message must be complete before the first paint. The command
 * `UPDATE_DOCS=1 npx vitest run --project '*widget (node)' texts` writes them, from `learnMore` of
 * each language.
 */
export const firstTexts: Readonly<Record<string, string>> = {
  en: 'Learn more',
  ar: 'معرفة المزيد',
  de: 'Mehr erfahren',
  es: 'Más información',
  fr: 'En savoir plus',
  he: 'מידע נוסף',
  it: 'Scopri di più',
  ja: '詳しく見る',
  nl: 'Meer informatie',
  pl: 'Dowiedz się więcej',
  pt: 'Saiba mais',
  'zh-Hans': '了解详情',
  'zh-Hant': '了解更多',
};
