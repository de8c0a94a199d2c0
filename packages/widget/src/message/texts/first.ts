/**
 * The label of the message's button, by language. All languages are in one file, because a message that
 * is known must be complete before the first paint.
 */
export const firstTexts: Readonly<Record<string, string>> = {
  ar: 'معرفة المزيد',
  de: 'Mehr erfahren',
  en: 'Learn more',
  es: 'Más información',
  fr: 'En savoir plus',
  he: 'מידע נוסף',
  it: 'Scopri di più',
  ja: '詳しく見る',
  nl: 'Meer informatie',
  pl: 'Dowiedz się więcej',
  pt: 'Saiba mais',
  zh: '了解详情',
};
