// Everything here makes the pages live. Without it they still work, by plain
// forms and page loads.
import { start as startDrafts } from "./drafts.js";
import { start as startLost } from "./lost.js";
import { start as startForms } from "./forms.js";
import { start as startSheets } from "./sheets.js";
import { start as startReview, open } from "./review.js";
import { start as startFeed } from "./feed.js";
import { start as startKeys } from "./keys.js";
import { start as startTimes } from "./times.js";
import { start as startSmall } from "./small.js";
import { start as startPresence } from "./presence.js";
import { start as startWaiting } from "./waiting.js";
import { start as startChanges, openNote } from "./changes.js";
import { start as startQuestions } from "./questions.js";
import { start as startCommands } from "./commands.js";
import { start as startLive } from "./live.js";

startTimes();
startSmall();
startForms();
startSheets();
startReview();
startDrafts((what, id, options) => (what === "line" ? openNote(id, options) : open(what, id, options)));
startLost(open);
startFeed();
startKeys();
startPresence();
startWaiting();
startChanges();
startQuestions();
startCommands();
startLive();
