import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Ver si cumplo los requisitos',
  dialog: 'Ver si cumplo los requisitos',
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
