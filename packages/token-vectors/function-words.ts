import { folded, wordsIn } from './word-pieces.js';

const german = `aber alle allem allen aller alles als also and andere anderen anderer anderes auch auf aus bei beide beiden beim
  bereits bin bis bist bzw dabei dadurch dafür dagegen daher damit danach dann daran darauf darin darüber darum das dass dasselbe
  davon davor dazu dein deine dem den denen denn dennoch der deren des deshalb dessen dich die dies diese diesem diesen dieser
  dieses dir doch dort durch dürfen ebenfalls ein eine einem einen einer eines einige einigen einmal erst etwa etwas euch euer für
  gab ganz gegen gibt habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer immer indem ins ist
  jede jedem jeden jeder jedes jedoch jene jetzt kann kein keine keinem keinen keiner können konnte konnten man manche mehr mein
  meine mich mir mit möchte müssen muss musste mussten nach nachdem neben nicht nichts noch nun nur obwohl oder ohne schon sehr
  sein seine seinem seinen seiner seit selbst sich sie siehe sind sofern sogar solche soll sollen sollte sollten somit sondern
  sonst soweit sowie statt trotz über um und uns unser unsere unter viel viele vom von vor während war waren warum was weder wegen
  weil weiter weitere weiteren welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wobei
  wodurch worden wurde wurden würde würden zum zur zwar zwischen`;

const french = `afin ainsi alors après assez aucun aucune aussi autre autres aux avait avant avec avoir avons ayant beaucoup bien car
  ceci cela celle celles celui cependant ces cet cette ceux chaque chez comme comment dans depuis des dès deux devant doit doivent
  donc dont du elle elles encore entre est étaient était été être eux fait faire faut fois font hors ici ils jusque lequel les leur
  leurs lors lorsque lui mais malgré même mêmes mes moins mon non nos notre nous ont par parce pas pendant peu peut peuvent plus
  plusieurs pour pourquoi puis quand que quel quelle quelles quels quelque quelques qui quoi sans sauf sera seront ses seulement
  sinon soit son sont sous sur tandis tant tel telle tes ton toujours tous tout toute toutes très trop une vers voici voir vos votre
  vous`;

const italian = `abbiamo agli alcuni alcune alla alle allo allora altra altre altri altro anche ancora appena avere aveva avevano avuto
  benché che chi ciascuno cioè circa coi col come con così cui dagli dai dal dalla dalle dallo degli dei del della delle dello dentro
  deve devono dopo dove dunque durante ecco era erano essa esse essere essi fino fra già gli hanno infatti inoltre invece lei loro lui
  mentre mia mio molti molto negli nei nel nella nelle nello nessun nessuna noi non nostra nostro ogni ognuno oltre oppure per perché
  perciò però più poco poi prima proprio può possono qua qual quale quali qualche quando quanto quasi quella quelle quelli quello
  questa queste questi questo qui quindi sarà saranno secondo sei sempre senza sia sono sopra sotto stata state stati stato sua sue
  sugli sui sul sulla sulle sullo suo suoi tra tranne tutta tutte tutti tutto una uno verso via voi`;

const words: ReadonlySet<string> = new Set([german, french, italian].flatMap(wordsIn));

/** Returns whether a word is a German, French or Italian function word, such as “der” or “avec”. */
export const isFunctionWord = (word: string): boolean => words.has(folded(word));
