import type { MessageTexts } from '../texts.ts';

/** Dutch, with "u". */
export const texts: MessageTexts = {
  title: 'Betalen in termijnen',
  close: 'Sluiten',
  plan: 'Kredietverstrekker',
  payment: 'Termijnbedrag',
  count: 'Aantal termijnen',
  apr: 'JKP',
  interest: 'Rente',
  total: 'Totaal',
  perMonth: '{payment} per maand',
  perWeek: '{payment} per week',
  perTwoWeeks: '{payment} per twee weken',
  perDay: '{payment} per dag',
  example: 'Representatief voorbeeld',
  amount: 'Gefinancierd bedrag',
  last: 'Laatste termijn',
  questions: 'Vragen en antwoorden',
  whatQuestion: 'Hoe werkt het?',
  whatAnswer:
    'Een kredietverstrekker betaalt de winkel voor uw bestelling, en u betaalt de kredietverstrekker terug in de termijnen die hier staan.',
  offerQuestion: 'Is dit mijn definitieve aanbod?',
  offerAnswer:
    'Nee. Deze termijnen zijn berekend volgens de gepubliceerde voorwaarden van de kredietverstrekker. Uw eigen aanbod krijgt u van de kredietverstrekker na uw aanvraag, en dan beslist u.',
  creditQuestion: 'Heeft dit invloed op mijn kredietscore?',
  creditAnswer:
    'Dat hangt af van de kredietverstrekker. Die vermeldt welke controles plaatsvinden voordat u ermee instemt.',
  disclosures: 'Informatie van de kredietverstrekkers',
  qualify: 'Bekijk of u in aanmerking komt',
};
