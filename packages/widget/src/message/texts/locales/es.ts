import type { MessageTexts } from '../texts.ts';

/** Spanish, with "usted". */
export const texts: MessageTexts = {
  title: 'Pagar a plazos',
  close: 'Cerrar',
  plan: 'Entidad',
  payment: 'Pago',
  count: 'Número de pagos',
  apr: 'TAE',
  interest: 'Intereses',
  total: 'Total',
  perMonth: '{payment} al mes',
  perWeek: '{payment} a la semana',
  perTwoWeeks: '{payment} cada dos semanas',
  perDay: '{payment} al día',
  example: 'Ejemplo representativo',
  amount: 'Importe financiado',
  last: 'Último pago',
  questions: 'Preguntas y respuestas',
  whatQuestion: '¿Cómo funciona?',
  whatAnswer:
    'Una entidad paga su pedido a la tienda y usted le devuelve el dinero en los pagos que se muestran aquí.',
  offerQuestion: '¿Es esta mi oferta definitiva?',
  offerAnswer:
    'No. Estos pagos se calculan con las condiciones publicadas por la entidad. Su propia oferta llega de la entidad después de la solicitud, y entonces decide usted.',
  creditQuestion: '¿Afecta a mi historial de crédito?',
  creditAnswer:
    'Depende de la entidad. Ella indica qué comprobaciones hace antes de que usted las acepte.',
  disclosures: 'Información de las entidades',
  qualify: 'Compruebe si cumple los requisitos',
};
