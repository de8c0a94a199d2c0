import type { MessageTexts } from '../texts.ts';

/** Portuguese. */
export const texts: MessageTexts = {
  title: 'Pagar em prestações',
  close: 'Fechar',
  plan: 'Financiador',
  payment: 'Prestação',
  count: 'Número de prestações',
  apr: 'Taxa anual',
  interest: 'Juros',
  total: 'Total a pagar',
  perMonth: '{payment} por mês',
  perWeek: '{payment} por semana',
  perTwoWeeks: '{payment} a cada duas semanas',
  perDay: '{payment} por dia',
  example: 'Exemplo representativo',
  amount: 'Valor financiado',
  last: 'Última prestação',
  questions: 'Perguntas e respostas',
  whatQuestion: 'Como funciona?',
  whatAnswer:
    'Um financiador paga o pedido à loja, e o reembolso é feito nas prestações aqui indicadas.',
  offerQuestion: 'Esta é a minha proposta final?',
  offerAnswer:
    'Não. Estas prestações são calculadas segundo as condições publicadas pelo financiador. A proposta final vem do financiador depois do pedido de crédito, e a decisão é tomada nesse momento.',
  creditQuestion: 'Isto afeta a minha pontuação de crédito?',
  creditAnswer: 'Depende do financiador, que indica as verificações antes de serem aceitas.',
  disclosures: 'Informações dos financiadores',
  qualify: 'Verificar se cumpre os requisitos',
};
