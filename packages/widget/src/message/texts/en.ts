import type { MessageTexts } from './texts.ts';

/** The English texts of the dialog. */
export const english: MessageTexts = {
  title: 'Pay over time',
  close: 'Close',
  plan: 'Lender',
  payment: 'Payment',
  count: 'Payments',
  apr: 'APR',
  interest: 'Interest',
  total: 'Total',
  perMonth: '{payment} a month',
  perWeek: '{payment} a week',
  perTwoWeeks: '{payment} every two weeks',
  perDay: '{payment} a day',
  example: 'Representative example',
  amount: 'Amount financed',
  last: 'Last payment',
  questions: 'Questions and answers',
  whatQuestion: 'How does it work?',
  whatAnswer:
    'A lender pays the shop for your order, and you repay the lender in the payments shown here.',
  offerQuestion: 'Is this my final offer?',
  offerAnswer:
    'No. These payments are computed from the lender’s published terms. Your own offer comes from the lender after you apply, and you decide then.',
  creditQuestion: 'Does it affect my credit score?',
  creditAnswer:
    'That depends on the lender. It says which checks it makes before you agree to them.',
  disclosures: 'Information from the lenders',
  qualify: 'See if you qualify',
};
