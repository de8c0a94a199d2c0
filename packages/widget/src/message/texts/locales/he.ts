import type { MessageTexts } from '../texts.ts';

/** Hebrew. */
export const texts: MessageTexts = {
  title: 'תשלום בפריסה',
  close: 'סגירה',
  plan: 'המלווה',
  payment: 'תשלום',
  count: 'מספר התשלומים',
  apr: 'ריבית שנתית',
  interest: 'ריבית',
  total: 'סך הכול',
  perMonth: '{payment} בחודש',
  perWeek: '{payment} בשבוע',
  perTwoWeeks: '{payment} כל שבועיים',
  perDay: '{payment} ביום',
  example: 'דוגמה מייצגת',
  amount: 'סכום המימון',
  last: 'התשלום האחרון',
  questions: 'שאלות ותשובות',
  whatQuestion: 'איך זה עובד?',
  whatAnswer: 'המלווה משלם לחנות על ההזמנה, וההחזר למלווה נעשה בתשלומים המוצגים כאן.',
  offerQuestion: 'האם זו ההצעה הסופית שלי?',
  offerAnswer:
    'לא. התשלומים האלה מחושבים לפי התנאים שהמלווה מפרסם. ההצעה האישית מתקבלת מהמלווה אחרי הגשת הבקשה, ורק אז מתקבלת ההחלטה.',
  creditQuestion: 'האם זה משפיע על דירוג האשראי שלי?',
  creditAnswer: 'זה תלוי במלווה. הוא מציין אילו בדיקות הוא עורך לפני ההסכמה להן.',
  disclosures: 'מידע מהמלווים',
  qualify: 'בדיקת זכאות',
};
