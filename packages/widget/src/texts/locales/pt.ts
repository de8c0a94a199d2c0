import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** Portuguese, using vocabulary common to Brazil and Portugal. */
export const checkout: Texts = {
  lang: 'pt',
  dir: 'ltr',
  label: 'Pagar em prestações',
  resume: 'Continuar a solicitação',
  tryAgain: 'Tentar novamente',
  startAgain: 'Recomeçar',
  phone: 'Continuar no telefone',
  phoneWaiting: 'Leia o código com o telefone ou abra lá o endereço.',
  phoneLocal: 'Um telefone não pode abrir este endereço: ele leva a este dispositivo.',
  copy: 'Copiar o endereço',
  copied: 'Endereço copiado',
  openHere: 'Abrir neste dispositivo',
  reload: 'Recarregar a página',
  checkNow: 'Verificar agora',
  working: 'Um momento…',
  dialog: 'Pagamento em prestações',
  close: 'Fechar',
  loading: 'Abertura da sua solicitação…',
  ready: 'A sua solicitação está pronta.',
  slow: 'A demora é maior do que o habitual.',
  approvedTitle: 'O seu financiamento foi aprovado',
  approved: 'O valor de {amount} foi financiado. Não é preciso fazer mais nada aqui.',
  pendingTitle: 'A sua solicitação está em análise',
  pending:
    'Pode sair desta página. A loja avisará quando houver uma decisão. Até lá, não pague de outra forma.',
  declinedTitle: 'Nenhuma oferta desta vez',
  declined:
    'Nenhuma instituição financeira fez uma oferta para este pedido e nada foi cobrado. A instituição informará os motivos.',
  cancelledTitle: 'A solicitação foi interrompida',
  cancelled: 'Nada foi cobrado. Pode recomeçar quando quiser.',
  cancelledLink:
    'Nada foi cobrado. O endereço funciona durante 24 horas: não o use se pagar de outra forma.',
  confirmingTitle: 'Confirmação com a instituição financeira',
  confirming: 'Demora alguns segundos. Permaneça nesta página.',
  expiredTitle: 'O prazo da sua solicitação terminou',
  expired: 'Nada foi cobrado. Pode recomeçar.',
  staleTitle: 'Esta página está aberta há algum tempo',
  stale: 'Recarregue-a para continuar. Nada foi cobrado.',
  unavailableTitle: 'O financiamento está indisponível no momento',
  unavailable: 'Nada foi cobrado. Tente novamente em instantes ou pague de outra forma.',
  offlineTitle: 'Parece não haver acesso à internet',
  offline: 'Nada foi cobrado. Tente novamente quando o acesso voltar.',
  checkingTitle: 'A sua solicitação está em verificação',
  checking:
    'Não pague ainda de outra forma. Isto pode demorar alguns minutos e o resultado será mostrado aqui.',
  failedTitle: 'Este pedido não pode ser financiado',
  failed: 'Nada foi cobrado. Pague de outra forma.',
  elsewhere: 'Continuar na página da instituição',
  awayTitle: 'A sua solicitação está aberta',
  away: 'Continue lá. Esta página aguarda e mostrará o resultado.',
  showWindow: 'Mostrar a janela',
  cancel: 'Cancelar',
  changedTitle: 'O seu carrinho mudou',
  changed: 'O valor aprovado é {amount}; o seu carrinho é agora de {current}. Nada foi cobrado.',
  changedCart: 'O que foi aprovado não é o que está agora no seu carrinho. Nada foi cobrado.',
  keep: 'Manter {amount}',
  approvedOther:
    'O valor de {amount} foi financiado. O seu carrinho é agora de {current}: a loja informará o que acontece com a diferença.',
  refundedTitle: 'O seu financiamento foi reembolsado',
  refunded: '{current} foram devolvidos à instituição.',
  reducedTitle: 'Uma parte do seu financiamento foi reembolsada',
  reduced: '{current} de {amount} foram devolvidos à instituição.',
  voidedTitle: 'O seu financiamento foi cancelado',
  voided: 'Este pedido já não está financiado.',
};

export const prequalify: OwnPrequalifyTexts = {
  label: 'Ver se reúno as condições',
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

export const message: MessageTexts = {
  title: 'Pagar em prestações',
  close: 'Fechar',
  plan: 'Financiador',
  payment: 'Prestação',
  count: 'Número de prestações',
  apr: 'Taxa anual',
  interest: 'Juros',
  leaseCost: 'Custo da locação',
  total: 'Total a pagar',
  perMonth: '{payment} por mês',
  perWeek: '{payment} por semana',
  perTwoWeeks: '{payment} a cada duas semanas',
  perDay: '{payment} por dia',
  example: 'Exemplo representativo',
  amount: 'Valor financiado',
  cashPrice: 'Preço à vista',
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

export const learnMore = 'Saiba mais';
