import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: 'Ver se reúno as condições',
  dialog: 'Ver se reúno as condições',
  unavailableTitle: 'De momento não é possível contactar a entidade',
  unavailable: 'Nada foi decidido. Tente novamente dentro de momentos.',
  prequalifiedTitle: 'Tem uma pré-qualificação',
  prequalified:
    'Uma entidade oferece-lhe até {amount}. Escolha o financiamento ao pagar: aí a entidade toma a decisão final.',
  prequalifiedOpen:
    'Uma entidade oferece-lhe financiamento. Escolha-o ao pagar: aí a entidade toma a decisão final.',
  pending:
    'A entidade ainda não decidiu, ou precisa de algo da sua parte. Pode voltar a esta página.',
  declined:
    'Nenhuma entidade fez uma oferta. A entidade enviar-lhe-á os motivos. Pode continuar a comprar aqui e pagar de outra forma.',
  notFoundTitle: 'Nenhum pedido foi feito',
  notFound: 'Terminou antes de chegar a uma entidade, por isso nada foi decidido. Pode recomeçar.',
  cancelled: 'Nada foi decidido. Pode continuar onde ficou.',
  expired: 'Nada foi decidido. Pode recomeçar.',
  offline: 'Nada foi decidido. Tente novamente quando tiver ligação.',
  failedTitle: 'De momento não está disponível',
  failed: 'Nada foi decidido. Ainda pode pedir financiamento ao pagar.',
};
