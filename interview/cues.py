# ruff: noqa: E501 (patterns read better on long lines)
"""Turns of phrase that give a request away wherever they stand in a clause, and the words of the trade that speak
against one.

The patterns of `requests` and `remarks` cover a clause from end to end; people say more around it than any pattern
holds. Here a phrase is enough, provided that the message says little or nothing technical beside it: whoever thinks
aloud with tensors in it, answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain import Intent

MOST_WORDS = 70  # a longer message is an answer
MOST_THINKING = 30  # words of somebody who only asks for time
# From so many technical words on, what sounds like a dispute is an answer: once a verdict was told, where that is not
# known, and before any verdict.
DISPUTED_CONTENT = {True: 8, None: 4, False: 1}
_UNIT = r"(?:sec|second|min|minute|moment|mo|bit|hour|day|while)s?"
_LATER = (
    r"(?:later|tomorrow|tonight|tmrw|tmr|another (?:time|day)|some other (?:time|day)|afterwards?|next (?:week|time|month)"
    r"|(?:on |this |at |over |during )(?:the )?(?:evening|afternoon|morning|night|week-?end|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    rf"|after (?:lunch|dinner|breakfast|work|class|school|(?:the|a|my|this|that) \w+)|in (?:the (?:evening|afternoon|morning)|an?|half an|a few|a couple of|\d+|two|three|five|ten|fifteen|twenty|thirty) ?{_UNIT}"
    r"|when i(?:'m| am| get| come| have) \w+)"
)
_GO_ON = r"(?:continue|contiune|resume|carry on|pick(?:ing)? (?:(?:it|this|things) )?(?:back )?up|finish|come back|get back|go on|go back|return|be back|keep going|proceed|take (?:it|this) up again|do the rest|the rest)"
_ASKED = r"(?:question|wording|wordings|phrasing|phrase|sentence|formulation|task|prompt|problem statement|one)"
_EASIER = (
    r"(?:differently|(?:an)?other (?:way|words|terms)|different (?:way|words|terms|wording)|other words|(?:more )?simpl(?:er|y|e|ified)|in easy|easier|plain(?:er)?|more clear(?:ly)?"
    r"|clearer|more directly|more concretely|layman'?s?|everyday|basic|less (?:formal|jargon|technical|abstract|confusing|complicated)|fewer words|human (?:words|language)|like i'?m|as if i|for dummies|non[- ]native)"
)
_GRADE = r"(?:scores?|grades?|marks?|rating|points?|credits?|result|verdict|evaluation|assessment)"
_ALL_OF_IT = rf"(?:(?:full|perfect|max(?:imum)?|maximal|top|highest|best|all|extra|bonus|more|higher|better|passing|some|good|partial|excellent)(?: the| possible| of the)* {_GRADE}|100 ?%|a hundred percent|10 ?/ ?10|ten out of ten|10 out of 10|5 ?/ ?5|an? a\b|a pass\b|the benefit of the doubt)"
_JUDGED = (
    r"(?:marked|graded|scored|counted|docked|deducted|penali[sz]ed|credited|judged|rated|evaluated|failed|downgraded)"
)

_CUES: dict[Intent, str] = {
    Intent.STEER: rf"""
        ^\W*(?:system|admin|developer|assistant|root|note to (?:the )?\w+|instructions?|new instructions?|important)\s*(?:message|prompt|override|note|update)?\s*[:\])>]
      | \b(?:ignore|disregard|forget|override|bypass|drop|skip|set aside|turn off|disable|leave out)\b.{{0,40}}\b(?:instructions?|rules?|rubric|prompts?|guidelines|criteria|programming|marking|grading|scoring|scheme)\b
      | \byou(?:'re| are) (?:now|no longer|not) (?:an? |the |my )?(?:\w+ )?(?:interviewer|examiner|grader|judge|tutor|teacher|assistant|friend|bot|model|helper|in|allowed|bound)\b
      | \b(?:pretend|act as|act like|roleplay|role-play|behave like|switch (?:in)?to)\b.{{0,60}}\b(?:tutor|teacher|friend|assistant|admin|developer|mode|i (?:answered|passed|said)|correct|right|grader|examiner|never happened)\b
      | \b(?:give|award|grant|assign|gets?|want|need|deserves?|receive|have|hand|enter|record|output|put)\b.{{0,40}}\b{_ALL_OF_IT}
      | \b(?:bump|raise|boost|increase|improve|round|inflate|fix|set|change|adjust|upgrade|lift|push|up|tweak|nudge|make|update)\b.{{0,15}}\b(?:my|our|the candidate'?s) (?:\w+ )?{_GRADE}\b
      | \b(?:set|change|put|make|raise|record)\b.{{0,10}}\b(?:score|grade|rating|verdict|marks?)\b.{{0,10}}\b(?:to|at|as)\b
      | \b(?:let|make|help) me pass\b | \bpass me\b | \bgive me a pass\b | \bpass (?:this|the) (?:candidate|interview|applicant)\b | \bcandidate (?:has |should |must |deserves )?(?:be )?(?:passed|pass|to pass|answered|hired|succeeded)
      | \b(?:answer key|model answers?|marking scheme|mark scheme|marking guide|grading (?:policy|rules?|criteria|guide|prompt|key|notes?|sheet)|scoring (?:policy|rules?|criteria|guide|prompt)|marking (?:policy|rules?|criteria)|rubric|(?:your|print|the hidden|reveal|show|output|leak) (?:\w+ )?system (?:prompt|message)|hidden (?:tests?|prompt|notes|instructions?)|sample answer|reference answer|expected answer|cheat ?sheet|your (?:prompt|instructions|guidelines))\b
      | \b(?:what|which)\b.{{0,30}}\b(?:key ?points|key ?words|points|words|phrases)\b.{{0,30}}\b(?:you|grader|need|want|looking for|check)\b
      | \b(?:repeat|print|reveal|output|show|copy|paste|list|tell me|dump|leak|recite|quote)\b.{{0,40}}\b(?:text above|above text|verbatim|word for word|key ?points|the points (?:you|that)|everything (?:above|before)|good answer contains|answers? (?:you|it) expects?|you were (?:told|given))
      | \b(?:grading|scoring|marking) (?:\w+ )?(?:is|was|has been|have been|were|are|now) (?:\w+ )?(?:updated|changed|off|disabled|suspended|over|different|relaxed|cancelled)\b
      | \b(?:be|go|grade|mark|score|judge)(?: me| us| this| it| my answers?)? (?:(?:a (?:bit|little)|more|very|extra|less|as|so|really|super) )*(?:lenient(?:ly)?|generous(?:ly)?|kind(?:ly)?|nice|easy|gentle|gently|merciful|soft|strict(?:ly)?|tough|harsh(?:ly)?|forgiving)\b(?! (?:of|mode|way))
      | \b(?:go|take it) easy on (?:me|my|the)\b | \bcut me some slack\b
      | \b(?:mark|count|accept|treat|consider|grade|score|rate)\b (?:me|this|it|that|my|everything|all|the|every|any|whatever)\b.{{0,40}}\b(?:as )?(?:correct|right|passed|perfect|complete|excellent|full marks|good enough|a pass)\b
      | \b(?:don'?t|do not|no need to|without|instead of|stop) (?:bother )?(?:grad(?:e|ing)|scor(?:e|ing)|mark(?:ing)?|deduct(?:ing)?|penali[sz](?:e|ing)|fail(?:ing)?|judg(?:e|ing)|taking (?:off )?points|take (?:off |away )?(?:any )?points|check(?:ing)?)\b(?: me| this| my| it|$)
      | \b(?:tell|show|give|write|send|feed)(?: me)?(?: exactly| just)? (?:what (?:i (?:should|have to|need to|must|ought to) (?:say|write|answer)|to (?:say|write|answer|type))|the (?:right|correct|best|ideal|perfect) (?:answer|wording)s?\b.{{0,40}}\b(?:so|copy|paste|repeat|points?|marks?))
      | \bi(?:'m| am) (?:the|your|an?|one of the) (?:\w+ )?(?:developer|admin|administrator|creator|owner|author|maintainer|engineer|operator|supervisor|tester|examiner|manager|boss)s?\b(?: of| here| and| who| for|,|\.|$)
      | \b(?:developer|debug|admin|god|test|maintenance|sudo|root|dan) mode\b | \bsudo\b
      | \bi(?:'ll| will| can| would|'d)? (?:pay|tip|bribe|rate|leave)\b.{{0,50}}\b(?:you|stars?|review|dollars|\$|points|pass)\b
      | ^\W*</?\w+> | \b(?:respond|reply|answer|say|output) only\b.{{0,20}}\b(?:with|correct|yes|pass)\b | \bfinal (?:verdict|score|grade|result)\b ?(?::|is|=|should)
      | \b(?:rate|judge|evaluate|grade|score|mark|see|view) (?:me|my \w+|us|this) (?:favou?rably|well|high(?:ly|er)?|better|positively|up|top)\b | \b(?:grad(?:e|ing)|scoring|marking|evaluation) (?:sheet|key|notes|form|table)\b
      | \b(?:ideal|perfect|strong|top|best|model) candidate\b | \btick (?:all |off )?(?:the|every) box(?:es)?\b | \b(?:treated?|counts?|counted|pass|taken|go|goes|considered) (?:as|for) (?:an? |fully )?(?:strong|good|correct|right|perfect|complete|excellent|full)\b
      | \b(?:raise|bump|lift|increase|improve|boost) (?:the|this|that) (?:result|score|grade|mark|rating)s?\b
      | \bthe (?:next|following|previous|last|above) (?:answers?|questions?|messages?) (?:is|are|was|should|must|will)(?: be)?(?: automatically| already| all)* (?:correct|right|marked|graded|accepted|scored)\b
    """,
    Intent.PAUSE: rf"""
        \b{_GO_ON}\b.{{0,40}}\b{_LATER}\b | \b{_LATER}\b.{{0,30}}\b{_GO_ON}\b
      | \b(?:need|want|take|have|grab|get|do|could use|having|taking|time for|for|quick|short|little|small|tiny|bathroom|restroom|toilet|loo|coffee|tea|lunch|dinner|snack|smoke|water|bio|food|five minute|5 ?min(?:ute)?)\b(?: (?:a|an|my|some|another|quick|short|little|small|tiny|bathroom|toilet|coffee|tea|lunch|smoke|water|bio|minute|min|\d+))* (?:break|breather|pause|timeout|intermission|recess)\b
      | \b(?:break|pause|breather) (?:ok|okay|please|pls|possible|time|allowed|for (?:a|\d+|five|ten))\b
      | \b(?:step|stepping|walk|run|go|going|be|called|pulled|dragged|away) (?:away|out|off|afk)\b(?: for| from (?:my|the) (?:desk|computer|keyboard|screen|laptop)| a| now|$)
      | \b(?:brb|afk|be right back|back soon|back shortly|right back|back in (?:a|an|\d+|five|ten|half|two|a few|fifteen)|be back|i'?m back in)\b
      | \btake (?:five|5|ten|10)\b(?! (?:steps|samples|batches|elements))
      | \b(?:pause|suspend|freeze|park|postpone|reschedule|interrupt|hold|put .{{0,20}} on (?:hold|ice|pause))\b(?: (?:on|the|this|our|my|it|here|for|now|interview|session|test|things|everything|a|bit|moment|while|please|till|until|right))*(?:$|\?|\b(?:and|because|until|till|since|while|if|please)\b)
      | \b(?:save|keep|store|lose|losing|loses|lost|bookmark)\b.{{0,15}}\b(?:my (?:\w+ )?(?:progress|answers|place|spot|state|session|work)|(?:the|this|our) (?:progress|session|interview|state)|where (?:we|i) (?:are|am|stopped|left))\b
      | \bleave (?:it|this|the rest|things) (?:here |there |at that )?(?:for (?:now|today)|until|till)\b | \bwhere (?:we|i) left off\b
      | \b(?:at|answer|get) (?:the|my) door(?:bell)?\b | \bdoor ?bell\b | \b(?:phone|doorbell|alarm|mobile|bell)(?:'s| is|s)? (?:\w+ )?(?:ringing|rings|rang|going off|call)\b | \btake (?:this|the|a) (?:one|call|phone)\b(?=.*\b(?:call|phone|break|back|later|five|$))
      | \b(?:battery|laptop|computer|phone|power|internet|wi-?fi|connection|charger|electricity)\b.{{0,20}}\b(?:dying|dead|dies|died|low|empty|at \d+ ?%|out|flaky|gone|down|unstable|drops?|dropping|about to|cut)\b
      | \b(?:got|have|having|there's|in|for|join|run to)\b.{{0,12}}\b(?:a|my|another|the|an)(?: \w+)? (?:meeting|appointment|standup|stand-up|call|class|lecture|train|bus|flight)\b(?: (?:starting|starts|to catch|to join|in|now|soon|at|coming|that).*|$)
      | \b(?:my|the) (?:kid|kids|son|daughter|baby|child|children|wife|husband|dog|cat|boss|flatmate|roommate|mother|mum|mom|dad|neighbou?r|manager|food|dinner|lunch|taxi|ride|bus|train)\b.{{0,40}}\b(?:woke|awake|cry|crying|call|calls|calling|needs?|wants?|home|here|arrived|arrives|ready|sick|hungry|waiting|barking|upset|leaving|leaves)\b
      | \b(?:something|smth|sth|somebody|someone|emergency)\b.{{0,12}}\b(?:came up|come up|at the door|urgent|happened|knocking|needs me|just)\b
      | \b(?:i|we)?(?:'?ve| have)? ?(?:to|need to|must|gotta|got to)\b.{{0,12}}\b(?:feed|pick up my|walk my|put the (?:kids|baby)|open the door|catch (?:a|my|the) (?:bus|train|flight)|eat|use the (?:bathroom|toilet|restroom|loo)|plug in)\b
      | \b(?:re-?connect|reboot|restart my|log (?:back|in again)|be (?:right )?there again)\b | \b(?:close|leave|exit|shut) (?:the|this|my) (?:tab|window|browser|page|laptop)\b | \b(?:can|could) (?:this|it|the rest|we) wait\b | \bthe (?:other half|rest|remaining \w+) (?:later|from|on|another|next|at home|tomorrow)
      | \b(?:come|coming|get|getting|return|returning) back to (?:it|this|the (?:interview|session|rest))\b | \bto be continued\b
    """,
    Intent.REPHRASE: rf"""
        \bre-? ?(?:word|phrase|state|formulate)(?:ed|ing|d)?\b | \bparaphras(?:e|ed|ing)\b | \bsimplif(?:y|ied|ying)\b.{{0,12}}\b(?:it|this|that|the|for me|question|wording|$)
      | \b(?:don'?t|do not|didn'?t|did not|can'?t|cannot|can not|couldn'?t|not|never|hardly|barely|no|hard to|difficult to|struggl\w+ to|trying to|fail to|unable to)\b(?: \w+){{0,3}} (?:get|got|understand|understood|understanding|undestand|follow|parse|grasp|decipher|see|know|sure|make out|figure out|catch)\b.{{0,30}}\b(?:{_ASKED}|asking|asked|asks|being asked|want from me|wants from me|you want|you mean|you meant|wanted|looking for|getting at)\b
      | (?:^\W*|\b(?:can|could|would|will|please|pls|plz|try|kindly|mind|maybe|u|you|just|to|and|or)\W+(?:\w+ ){{0,3}}?)(?:put|say|saying|ask|asking|explain|explaining|putting|phrase|word|words|describe|write|express|repeat|tell|make|give|try|use|reword|state|speak|formulate|break)\b.{{0,35}}\b{_EASIER}(?!-| (?:model|net|layer|baseline|than|solution|case|approach|example of))
      | \b(?:{_ASKED}|wording|it|that|this|which)(?:'s| is| was| sounds?| seems?| are| feels| reads| can be read| could be read| could mean| can mean| has| have| makes?| made| doesn'?t| does not| didn'?t| lost| contains)\b.{{0,25}}\b(?:confus(?:es|ing|ed)|unclear|not clear|ambiguous|both ways|two ways|two things|vague|hard to (?:follow|read|understand|parse)|convoluted|wordy|no sense|make (?:any )?sense|too long|negatives?|cryptic|(?:badly|poorly|weirdly|oddly|strangely) (?:worded|phrased|put)|so long|a mouthful|jargon|tongue[- ]twister)\b
      | \b(?:too (?:many|much)|all the|so many) (?:negatives|jargon|clauses|big words|long words|technical words|commas)\b | \b(?:read|take|taken|understood|interpreted?) (?:it |this |that )?(?:in )?(?:both|two|several|many|different) ways\b
      | \b(?:you|that|it|this|question) (?:just |kind of |kinda |sort of |totally |completely )*lost me\b | \bi (?:just |kind of |kinda |sort of )*lost (?:you|the thread)\b | \bgoes over my head\b | \bwent over my head\b
      | \b(?:trouble|difficult(?:y|ies)|problems?|hard time|struggling|issues?)(?: with)? (?:parsing|understanding|following|reading|getting|to understand|with the (?:wording|question))\b | \b(?:unpack|untangle|break down|break)\b.{{0,15}}\b(?:question|sentence)\b | \blong[- ]?winded\b | \b(?:question|this one|that one)(?: actually| really| even)* about\?
      | \b(?:say|explain|speak|ask|write|put)\b.{{0,20}}\b(?:more|very) (?:easy|easily|simple|basic|clear|slow)\b | \bmy english\b
      | \bwhat(?: exactly| precisely)?(?: are| is| do| does|'s|'re) (?:you|the question|it|this|that)(?: even| actually| really| exactly)* (?:asking|after|getting at|want(?:ing)? (?:from me|to know|me to)|trying to (?:ask|say))\b
      | \bis (?:this|it|that|the question) asking\b | \bdumb (?:it|this|that) down\b | \beli5\b
      | \b(?:in|with|using) (?:simple|simpler|plain|other|easier|easy|different|normal|basic|your own) (?:english|words|terms|language|wording)\b(?=.*(?:\?|please|pls|plz|can you|could))
      | \benglish (?:is|isn'?t) (?:not )?my\b | \b(?:not a|non-?) ?native(?: english)? speaker\b
    """,
    Intent.DISPUTE: rf"""
        \b(?:you|it|they|judge|grader|system|feedback|bot)\b(?: (?:have|has|just|only|still|'ve|wrongly|incorrectly|unfairly|also))* (?:{_JUDGED}|took (?:off|away)|gave me|only gave|didn'?t (?:count|credit|give|accept)|did not (?:count|credit|give|accept)|reject(?:ed)?|dismissed|misread|misunderstood|misheard|overlooked)\b(?! (?:the (?:mask|padding|token|tensor)|rows|steps))
      | \byou(?:'ve| have)? ?(?:ignored|missed|skipped|read|got)\b.{{0,20}}\b(?:my|what i|i (?:said|wrote)|me|wrong)\b
      | \b(?:i|my \w+|it|that|this)\b(?: (?:was|got|get|been|being|have|has|had|is|were|only))* (?:marked|docked|graded|penali[sz]ed|downgraded|marked down|counted (?:as|wrong|against)|scored (?:as|wrong|low|zero|0))\b
      | \b(?:your|the|this|that) (?:\w+ )?(?:verdict|marking|grading|feedback|assessment|judge?ment|evaluation|grader|ruling|correction|score|grade|mark|rubric|reference|notes)\b.{{0,40}}\b(?:wrong|mistaken|incorrect|unfair|harsh|strict|off|outdated|old|not right|isn'?t|is not|doesn'?t|makes no|error|mistake|bug|based|inconsistent|disagree|contradicts?|out of date|low|nonsense)\b
      | \b(?:i|i'm|would like to|want to|we|have to|must)\b.{{0,20}}\b(?:disagree|object|protest|appeal|dispute|contest|challenge|don'?t agree|do not agree|can'?t agree|not agree|take issue|unhappy|not happy|not satisfied|don'?t accept|do not accept)\b(?: \w+){{0,3}} (?:the|this|that|your|my|it|you|here)\b
      | \b(?:you|you're|you are|you must be|you might be|think you|it|the judge|the grader)(?: (?:are|is|was|were|may be|might be))? (?:mistaken|in error|wrong (?:here|about|on|there)|unfair|too (?:strict|harsh|picky|hard))\b
      | \byou (?:said|say|claim(?:ed)?|wrote|told me|think|state[ds]?|write)\b.{{0,20}}\b(?:i|my answer|it) (?:\w+ )?(?:missed|miss|didn'?t|did not|forgot|never|failed|left out|was (?:wrong|incorrect|incomplete|partial)|is wrong|wasn'?t|omitted|got|lacked|haven'?t|confused|mixed)\b
      | \bmy (?:answer|code|solution|explanation|reply|response|point|statement)\b(?: \w+){{0,3}} (?:is|was|are|were|should (?:be|have been|count)|deserve[sd]?)(?: (?:actually|in fact|also|perfectly|completely|not|still|totally|definitely|absolutely|100%))* (?:good|correct|right|fine|valid|accurate|ok|okay|wrong|complete|counted|accepted|more|credited|full|the point|better|equivalent)\b
      | \b(?:how|why|in what way)(?: come| on earth| exactly| the hell)?(?: is| was|'s| does| did| do| would| are) (?:that|this|it|my \w+|these|i|you)\b.{{0,25}}\b(?:partial(?:ly)?|wrong|incorrect|a miss|missed|missing|half|not (?:met|enough|right|correct|counted|full)|zero|only|no (?:point|credit)|lose|lost|points?|marks?|incomplete|failed|count|score)\b
      | \b(?:look|looking|check|go over|read|reading|review|consider|judge|grade|assess|evaluate|score)\b.{{0,12}}\b(?:last|previous|my|first|second|that|the)(?: \w+)? (?:one|answer|question|point|verdict|score|response|reply|code)s? (?:again|once more|a second time|properly|carefully|more carefully)\b
      | \b(?:another|a second|a closer|second|closer|fresh) look\b | \bdouble[- ]?check\b.{{0,20}}\b(?:my|your|verdict|answer|score|that)\b | \bre-?(?:check|grade|mark|consider|evaluate|assess|score|judge)\b.{{0,25}}\b(?:my|that|this|the|it|last|answer|please)\b
      | \bi (?:did|do|had|have) (?:actually |in fact |clearly |already |explicitly |definitely |literally |indeed )*(?:mention(?:ed)?|said?|say|explain(?:ed)?|cover(?:ed)?|include[d]?|wrote|written|write|state[d]?|talk(?:ed)? about|name[d]?|address(?:ed)?|answer(?:ed)?)\b
      | \bi (?:clearly|literally|already|explicitly|definitely|just|actually|specifically|even|think i|really) (?:said|mentioned|covered|explained|wrote|answered|stated|addressed|included|got|named|typed|talked about)\b
      | \bi (?:covered|mentioned|said|explained|addressed|wrote|had|named|got) (?:both|all|it|that|this|exactly|them|precisely|everything)\b(?: (?:cases|parts|points|of them|two|three|of it))*(?:$|[.!?,]| (?:in|at|already|before|earlier|above|too|explicitly|right|first|when))
      | \b(?:that'?s|that is|this is|which is|it is|it's) (?:precisely|exactly|literally|just|basically|almost)? ?what i (?:said|wrote|meant|answered|described|explained|told)\b | \bas i (?:said|wrote|explained) (?:in|above|before|earlier)\b(?=.*\b(?:answer|you|wrong|point)\b)
      | \bi (?:can'?t|cannot|couldn'?t|could not) (?:have been|be|possibly be) wrong\b | \bi (?:was|am|wasn'?t|am not|'m not|'m)(?: \w+)? (?:right|wrong|correct) (?:on|about|there|here|with)\b | \bi (?:should|deserve|ought)\b.{{0,20}}\b(?:have (?:got(?:ten)?|received)|credit|(?:get|the) (?:the )?(?:point|mark|credit))\b
      | \b(?:that|this|it|which|what i said)(?:'s| is| was)? ?(?:should|ought to|must|does|deserves?) (?:have |to |be |been )*(?:count(?:ed)?|accepted|credited|credit|enough for|full|worth|a point|the point|marked)\b
      | \bcheck (?:the |your )?(?:docs|documentation|source|facts|notes|rubric|manual|release notes)\b | \b(?:the )?(?:docs|documentation|release notes|official docs) (?:say|says|agree|disagree|confirm|contradict|back me)s?\b(?=.*\b(?:i|my|you|your|me)\b)
      | \b(?:question|you|nobody|task) (?:\w+ )?(?:never|didn'?t|did not) (?:\w+ )?(?:ask(?:ed)?|mention(?:ed)?|say|said|require[d]?)\b(?=.*\b(?:about|for|that|it|to)\b)
      | \bstand by (?:my|what)\b | \bwhy (?:only|just|not (?:full|accept\w*|count\w*|credit|more))\b | \bwhy (?:you|u|did you|do you) (?:not|no|don'?t|didn'?t) \w+ | \b(?:everything|all|the thing|most of what) (?:that )?i (?:said|wrote|mentioned)\b | \b(?:can'?t|cannot|shouldn'?t) (?:fail|penali[sz]e|mark|dock|punish) me\b
      | \b(?:mistake|error|bug|wrong|off) (?:in|with|about) (?:the|your|my|that) (?:\w+ )?(?:evaluation|grading|marking|verdict|score|assessment|feedback|grade|judge?ment|result)\b | \b(?:not convinced|unconvinced) (?:by|with|of)\b | \bfalse (?:negative|verdict)\b(?=.*\b(?:i|my)\b) | \b(?:not|isn'?t|never) what i (?:said|meant|wrote|claimed)\b
      | \b(?:not|isn'?t|un) ?fair\b | \bunfair\b | \bcome on\b.{{0,40}}\b(?:said|right|correct|count)\b | \bthat'?s (?:too )?(?:harsh|ridiculous|nonsense|bs|bullshit)\b
      | \b(?:lost|lose|losing|missing|dropped|didn'?t get|did not get|got no|get no|no|where (?:are|did)) (?:\w+ )?(?:points?|marks?|credits?)\b.{{0,30}}\b(?:for|on|there|here|because|go|went)\b
    """,
    Intent.THINKING: r"""
        \b(?:let me|lemme|let'?s|need to|have to|want to|got to|gotta|trying to|try to|i'?ll|i will|going to|gonna|time to|moment to|second to|minute to|sec to) (?:just |quickly |first |really |now |actually |briefly )*(?:think|see|recall|remember|trace|re-? ?read|read|work (?:it|this|that|through)|look at (?:it|the|this)|process|digest|figure (?:it|this|that|out)|picture|visuali[sz]e|organi[sz]e|gather|collect|reason|scan|go (?:over|through)|walk through|sort|ponder|dig|get my (?:head|thoughts)|play it|draw|sketch|check the (?:code|question)|run (?:it|this|through)|jog|refresh)\b
      | \b(?:one|a|1|an?other|half a|couple(?: of)?|two|2|few|more|some|little|just a|bit more|bit of) (?:more |quick )?(?:sec|second|moment|minute|min|mins|mo|secs|seconds|minutes|moments|tick)\b(?! (?:one|ago|order|time|it|they|and the next)) | \b(?:more|some|little|bit of) time\b
      | \b(?:hang on|hold on|hold up|bear with me|bare with me|bear with|still thinking|i'?m thinking|thinking|mulling|pondering|processing|tip of my tongue|tip of the tongue|wait for it|wait wait|wait,|not yet|almost (?:there|got it)|nearly (?:there|got it))\b
      | \bi (?:just |almost |nearly |really |definitely )*(?:had|have|knew|know|saw|remember) (?:it|this|that|seeing|reading)\b(?=.*\b(?:moment|second|ago|somewhere|tongue|earlier|before|once|one|minute|head|yesterday|used)\b|$)
      | \b(?:formulating|preparing|composing|phrasing|putting together) (?:my|an|the) \w+ | \b(?:it'?ll|it will|coming) (?:come )?(?:back )?to me\b | \bi should know (?:this|that|it)\b | \b(?:don'?t|do not) (?:move on|go on|skip|rush)(?: yet| me| ahead|$) | \b(?:not|n't) (?:done|finished)(?: yet| answering| thinking|$) | \bon paper\b
      | \b(?:i'?ve|i have) (?:seen|read|done|had|used|heard|learned|learnt|come across) (?:this|that|it|about)\b
      | \b(?:sorry for|excuse|pardon|ignore) (?:the|my) (?:silence|pause|wait|delay|long pause|rambling|mumbling)\b | \b(?:wheels|gears|cogs)\b.{0,12}\bturning\b
      | \bhaven'?t (?:had to )?(?:think|thought|look|looked|touched|use|used) (?:about |at )?(?:this|that|it)\b | \bmy (?:brain|mind|head) (?:is|needs|just)\b | \bin my head\b | \b(?:what|how) (?:was|did|does|is) (?:it|that)(?: \w+)? (?:called|again|go|named)\b | \bwhere (?:do|should|to) i? ?(?:even )?(?:start|begin)\b
    """,
}


def _alternatives(pattern: str) -> re.Pattern[str]:
    """A pattern whose alternatives stand between " | ", over several lines."""
    parts = [part.strip() for part in re.split(r"\s\|\s", " ".join(f" {pattern} ".split("\n")))]
    return re.compile("|".join(f"(?:{part})" for part in parts if part))


CUES = {intent: _alternatives(pattern) for intent, pattern in _CUES.items()}

# Words that only an answer, or the question itself, has a use for.
TECHNICAL = re.compile(
    r"\b(?:tensors?|gradients?|grads?|back-?prop\w*|backward|autograd|batch(?:es)?|mini-?batch\w*|loss(?:es)?|weights?|optimi[sz]ers?|adamw?|sgd"
    r"|momentum|schedulers?|learning rate|layers?|models?|train(?:ing|ed|s)?|validation|overfit\w*|graphs?|dtypes?|gpus?|cuda|cpus?|vram|memory|shapes?|dim(?:s|ensions?)?|axis|axes"
    r"|norm(?:s|ali[sz]\w*)?|batchnorm|layernorm|dropout|softmax|sigmoid|relu|logits?|logs?|entropy|attention|embeddings?|tokens?|heads|queries|keys|cache[sd]?|mask(?:s|ed|ing)?|padding"
    r"|transpose\w*|contiguous|strides?|views?|reshape\w*|broadcast\w*|detach\w*|leaf|epochs?|steps|forward|datasets?|dataloaders?|pipelines?|prefetch\w*|shuffl\w*|workers?|quanti[sz]\w*|fp16|bf16|float\w*|int\d+"
    r"|precision|checkpoint\w*|parameters?|params?|buffers?|modules?|eager(?:ly)?|trac(?:e[ds]?|ing)(?! it| this| that)|retrac\w*|compil\w+|kernels?|convolutions?|conv\w*|rnns?|lstms?|transformers?|bert|gpt|lora|adapters?|rank"
    r"|activations?|neurons?|hidden state|inference|latency|throughput|serving|sampl\w+|variance|mean|probabilit\w+|expectation|jacobian|hessian|derivatives?|chain rule|matrix|matrices|vectors?|scalars?|arrays?"
    r"|temperature|divid\w+|multipl\w+|averag\w+|race condition|numpy|torch|pytorch|tensorflow|keras|tf|onnx|ddp|fsdp|distributed|shard\w*|all-?reduce|sync\w*|devices?|deterministic|seeds?|augment\w*|labels?|class(?:es)?|metrics?|recall@\w+|f1|auc|outputs?|inputs?"
    r"|functions?|decorators?|variables?|loops?|callbacks?|accumulat\w*|clip\w*|overflow|underflow|nans?|infs?|stack|concat\w*|slic\w+|index\w*|gather_nd|scatter|einsum|matmul)\b"
    r"|\w+\.\w+(?!\.)\w|\w+_\w+|\w\(|\w\[|[=<>]=|::|\b\d+ ?(?:d|x|gb|mb)\b"
)


_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")


def technical(text: str) -> int:
    """How many words of the trade a text in lower case holds."""
    return len(TECHNICAL.findall(text))


def by_cues(plain: str, clauses: Sequence[str], told: bool | None) -> Intent | None:
    """The request that a phrase in one of a message's clauses gives away, or None.

    `told` says whether a verdict was told, None where that is not known.
    """
    words = len(plain.split())
    if words > MOST_WORDS:
        return None
    texts = [plain, *clauses]
    hit = {intent: [text for text in texts if cue.search(text)] for intent, cue in CUES.items()}
    content = technical(plain)
    told_of = sum(technical(part) for part in _SENTENCE.split(plain) if not part.rstrip(" \"')").endswith("?"))
    if hit[Intent.STEER] and content <= 1 and not (told and hit[Intent.DISPUTE]):
        return Intent.STEER
    if hit[Intent.DISPUTE] and content < DISPUTED_CONTENT[told]:
        return Intent.DISPUTE
    if hit[Intent.PAUSE] and not content:
        return Intent.PAUSE
    if hit[Intent.REPHRASE] and told_of <= 1:
        return Intent.REPHRASE
    if hit[Intent.THINKING] and not content and words <= MOST_THINKING:
        return Intent.THINKING
    return None
