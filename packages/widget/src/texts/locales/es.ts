import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** Spanish, with "usted", for Spain and the Americas. */
export const checkout: Texts = {
  lang: 'es',
  dir: 'ltr',
  label: 'Pagar a plazos',
  resume: 'Continuar con la solicitud',
  tryAgain: 'Reintentar',
  startAgain: 'Empezar de nuevo',
  phone: 'Continuar en el móvil',
  phoneWaiting: 'Escanee el código con su móvil o abra allí la dirección.',
  phoneLocal: 'Un móvil no puede abrir esta dirección: lleva a este dispositivo.',
  copy: 'Copiar la dirección',
  copied: 'Dirección copiada',
  openHere: 'Abrir en este dispositivo',
  reload: 'Recargar la página',
  checkNow: 'Comprobar ahora',
  working: 'Un momento…',
  dialog: 'Pago a plazos',
  close: 'Cerrar',
  loading: 'Abriendo su solicitud…',
  ready: 'Su solicitud está lista.',
  slow: 'Está tardando más de lo habitual.',
  approvedTitle: 'Su financiación está aprobada',
  approved: 'El importe de {amount} está financiado. No tiene que hacer nada más aquí.',
  pendingTitle: 'Su solicitud está en revisión',
  pending:
    'Puede salir de esta página. La tienda le avisará cuando haya una decisión. Mientras tanto, no pague de otra forma.',
  declinedTitle: 'Esta vez no hay ofertas',
  declined:
    'Ninguna entidad ha hecho una oferta para este pedido y no se le ha cobrado nada. La entidad le comunicará los motivos.',
  cancelledTitle: 'Ha salido de la solicitud',
  cancelled: 'No se le ha cobrado nada. Puede volver a empezar cuando quiera.',
  cancelledLink:
    'No se le ha cobrado nada. La dirección funciona 24 horas: no la use si paga de otra forma.',
  confirmingTitle: 'Confirmando con la entidad financiera',
  confirming: 'Tardará unos segundos. No salga de esta página.',
  expiredTitle: 'El tiempo de su solicitud ha terminado',
  expired: 'No se le ha cobrado nada. Puede volver a empezar.',
  staleTitle: 'Esta página lleva un rato abierta',
  stale: 'Recárguela para continuar. No se le ha cobrado nada.',
  unavailableTitle: 'La financiación no está disponible en este momento',
  unavailable: 'No se le ha cobrado nada. Inténtelo de nuevo en un momento o pague de otra forma.',
  offlineTitle: 'Parece que no tiene conexión',
  offline: 'No se le ha cobrado nada. Inténtelo de nuevo cuando tenga conexión.',
  checkingTitle: 'Estamos comprobando su solicitud',
  checking: 'No pague todavía de otra forma. Puede tardar unos minutos; verá aquí el resultado.',
  failedTitle: 'Este pedido no se puede financiar',
  failed: 'No se le ha cobrado nada. Pague de otra forma.',
  elsewhere: 'Continuar en la página de la entidad',
  awayTitle: 'Su solicitud está abierta',
  away: 'Continúe allí. Esta página le espera y mostrará el resultado.',
  showWindow: 'Mostrar la ventana',
  cancel: 'Cancelar',
  changedTitle: 'Su carrito ha cambiado',
  changed: 'Se aprobaron {amount} y su carrito es ahora de {current}. No se le ha cobrado nada.',
  changedCart: 'Lo que se aprobó no es lo que hay ahora en su carrito. No se le ha cobrado nada.',
  keep: 'Mantener {amount}',
  approvedOther:
    'El importe de {amount} está financiado. Su carrito es ahora de {current}: la tienda le informará de lo que ocurre con la diferencia.',
  refundedTitle: 'Su financiación se ha reembolsado',
  refunded: '{current} se han devuelto a la entidad.',
  reducedTitle: 'Una parte de su financiación se ha reembolsado',
  reduced: '{current} de {amount} se han devuelto a la entidad.',
  voidedTitle: 'Su financiación se ha cancelado',
  voided: 'Este pedido ya no está financiado.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Ver si cumplo los requisitos',
  unavailableTitle: 'No se puede contactar con la entidad en este momento',
  unavailable: 'No se ha decidido nada. Inténtelo de nuevo en un momento.',
  prequalifiedTitle: 'Tiene una preaprobación',
  prequalified:
    'Una entidad le ofrece hasta {amount}. Elija la financiación al pagar: allí la entidad toma su decisión final.',
  prequalifiedOpen:
    'Una entidad le ofrece financiación. Elíjala al pagar: allí la entidad toma su decisión final.',
  pending: 'La entidad aún no ha decidido o necesita algo de usted. Puede volver a esta página.',
  declined:
    'Ninguna entidad ha hecho una oferta. La entidad le enviará los motivos. Puede seguir comprando aquí y pagar de otra forma.',
  notFoundTitle: 'No se presentó ninguna solicitud',
  notFound:
    'Terminó antes de llegar a una entidad, así que no se ha decidido nada. Puede volver a empezar.',
  cancelled: 'No se ha decidido nada. Puede continuar donde lo dejó.',
  expired: 'No se ha decidido nada. Puede volver a empezar.',
  offline: 'No se ha decidido nada. Inténtelo de nuevo cuando tenga conexión.',
  failedTitle: 'No está disponible en este momento',
  failed: 'No se ha decidido nada. Todavía puede pedir financiación al pagar.',
};

export const message: MessageTexts = {
  title: 'Pagar a plazos',
  close: 'Cerrar',
  plan: 'Entidad',
  payment: 'Pago',
  count: 'Número de pagos',
  apr: 'TAE',
  interest: 'Intereses',
  leaseCost: 'Coste del arrendamiento',
  total: 'Total',
  perMonth: '{payment} al mes',
  perWeek: '{payment} a la semana',
  perTwoWeeks: '{payment} cada dos semanas',
  perDay: '{payment} al día',
  example: 'Ejemplo representativo',
  amount: 'Importe financiado',
  cashPrice: 'Precio al contado',
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

export const learnMore = 'Más información';
