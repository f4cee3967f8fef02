#include "gui/solve/view/run_pictures.h"

#include <QButtonGroup>
#include <QImageReader>

#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

// Returns the last of the other pictures with the same size as the first, for example "after" for
// "before".
int counterpartOf(const std::vector<ReportItem>& pictures) {
  if (pictures.empty()) return 0;
  const QSize size = QImageReader(pictures.front().file).size();
  for (std::size_t i = pictures.size(); i-- > 1;)
    if (QImageReader(pictures[i].file).size() == size) return static_cast<int>(i);
  return 0;
}

// Returns the text shown while there are no pictures.
QString messageOf(const SolveRun* run) {
  if (run == nullptr) return RunPictures::tr("Solve, and the pictures of the run stand here.");
  if (!run->pictures.empty()) {
    QStringList files;
    for (const ReportItem& picture : run->pictures) files.append(picture.file);
    return RunPictures::tr("This cannot be shown: %1").arg(files.join(", "));
  }
  switch (run->state) {
    case SolveRun::State::Running:
      return RunPictures::tr("The pictures of the run are written when it ends.");
    case SolveRun::State::Failed:
      return RunPictures::tr("The run failed before it wrote a picture.");
    case SolveRun::State::Finished: break;
  }
  return RunPictures::tr("The run wrote no picture.");
}

QToolButton* modeButton(const QString& text, const QString& name, QButtonGroup& group) {
  auto* button = named(new QToolButton, name);
  button->setText(text);
  button->setCheckable(true);
  group.addButton(button);
  return button;
}

}  // namespace

RunPictures::RunPictures()
    : m_first(named(new QComboBox, "firstPicture")),
      m_second(named(new QComboBox, "secondPicture")),
      m_stack(new QStackedWidget),
      m_images(new ImageCompare),
      m_scene(new SceneView) {
  auto* modes = new QButtonGroup(this);
  m_asPictures = modeButton(tr("Pictures"), "asPictures", *modes);
  m_asMeshes = modeButton(tr("3D"), "asMeshes", *modes);
  m_asPictures->setChecked(true);
  m_first->setAccessibleName(tr("What is shown"));
  m_second->setAccessibleName(tr("What it is compared with"));
  m_stack->addWidget(m_images);
  m_stack->addWidget(m_scene);
  auto* choice = makeRow({m_asPictures, m_asMeshes, {m_first, 1}, {m_second, 1}, Cell::gap()});
  setLayout(makeColumn({choice, {m_stack, 1}}, {0, 0, 0, 0}));
  connect(m_asMeshes, &QToolButton::toggled, this, [this](bool isOn) {
    m_stack->setCurrentIndex(isOn ? 1 : 0);
    fill();
  });
  for (QComboBox* box : {m_first, m_second}) {
    box->setMinimumContentsLength(8);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(box, &QComboBox::activated, this, &RunPictures::refresh);
  }
  show(nullptr);
}

void RunPictures::show(const SolveRun* run) {
  const SolveRun none;
  const SolveRun& its = run != nullptr ? *run : none;
  m_images->setMessage(messageOf(run));
  if (its.pictures == m_pictures && its.meshes == m_meshes && m_first->count() > 0) return;
  m_pictures = its.pictures;
  m_meshes = its.meshes;
  m_asPictures->setVisible(!m_meshes.empty());
  m_asMeshes->setVisible(!m_meshes.empty());
  if (m_meshes.empty()) m_asPictures->setChecked(true);
  fill();
}

void RunPictures::fill() {
  for (QComboBox* box : {m_first, m_second}) {
    box->clear();
    for (const ReportItem& file : files()) box->addItem(file.caption, file.file);
    box->setVisible(files().size() > 1);
  }
  const int last = static_cast<int>(files().size()) - 1;
  m_second->setCurrentIndex(showsMeshes() ? std::min(1, last) : counterpartOf(m_pictures));
  refresh();
}

void RunPictures::refresh() {
  QStringList shown, captions;
  for (const QComboBox* box : {m_first, m_second}) {
    const QString file = box->currentData().toString();
    if (file.isEmpty() || shown.contains(file)) continue;
    shown.append(file);
    captions.append(box->currentText());
  }
  if (showsMeshes()) return m_scene->setMeshes(shown, captions);
  m_images->setImages(shown.value(0), captions.value(0), shown.value(1), captions.value(1));
}

}  // namespace thallo::gui
